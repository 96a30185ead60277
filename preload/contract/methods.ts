import * as z from 'zod';
import { RecipeFacts, ToyFacts, WorldFacts, WorldSample } from '../../engine/schema/atlas.ts';
import { SystemCluster, SystemFacts } from '../../engine/schema/systems.ts';
import { call, feed, nothing, real } from './define.ts';

const id = z.string().min(1);

/** Result of a toy run on this machine. */
export const ToyOutcome = z.strictObject({
  seed: z.number(),
  value: real,
  reached: z.boolean(),
  seconds: z.number(),
});
export type ToyOutcome = z.infer<typeof ToyOutcome>;

export const methods = {
  /**
   * Recipes as stations, with the defaults and with each preset; toy runs; worlds. `runs.catalogue` has the
   * rest about a method.
   */
  atlas: call(
    nothing,
    z.strictObject({
      methods: z.record(
        z.string(),
        z.strictObject({
          recipe: RecipeFacts,
          presets: z.record(z.string(), RecipeFacts),
          toy: ToyFacts.nullable(),
        }),
      ),
      worlds: z.array(WorldFacts),
    }),
  ),
  /** Published systems with their state, the clusters, and the toy runs of the methods that carry some. */
  systems: call(
    nothing,
    z.strictObject({
      systems: z.array(SystemFacts),
      clusters: z.array(SystemCluster),
      toys: z.record(z.string(), ToyFacts),
    }),
  ),
  /**
   * Runs a method's toy run with a seed; the last value holds the result. Closing the feed stops the run at
   * once.
   */
  runToy: feed(
    z.strictObject({ id, seed: z.int().min(0).max(0xffff_ffff) }),
    z.strictObject({ done: z.number(), total: z.number(), result: ToyOutcome.nullable() }),
  ),
  /** Problem `index` of a world, of one level or of any, and demonstrations with the verifier's verdicts. */
  worldSample: call(
    z.strictObject({
      world: z.strictObject({ id, params: z.record(z.string(), z.unknown()).default({}) }),
      split: z.enum(['train', 'heldout']).default('train'),
      level: z.int().min(1).nullable().default(null),
      index: z.int().min(0).max(1000).default(0),
    }),
    WorldSample,
  ),
};
