/** An experiment: several runs from one specification, with a question that their results answer. */
import * as z from 'zod';

/** Most runs of one experiment at a time, and over all of its rungs. */
export const MOST_RUNS = 512;

const path = z.string().min(1).max(200).describe('A setting, such as optimizer.learningRate.');

/** A setting and the values that it takes: listed, or spread over a range. */
export const ExperimentAxis = z.union([
  z.strictObject({ path, values: z.array(z.unknown()).min(1).max(256) }),
  z.strictObject({
    path,
    from: z.number(),
    to: z.number(),
    scale: z.enum(['linear', 'log']).default('linear'),
    count: z.int().min(1).max(256).optional().describe('Values of a grid; a random search needs none.'),
    whole: z.boolean().default(false).describe('Whether values are rounded to whole numbers.'),
  }),
]);
export type ExperimentAxis = z.infer<typeof ExperimentAxis>;

const seed = z.int().min(0).max(0xffff_ffff);

export const ExperimentStrategy = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('grid') }).describe('Every combination of the values.'),
  z
    .strictObject({
      kind: z.literal('random'),
      trials: z.int().min(1).max(MOST_RUNS),
      seed: seed.default(0),
    })
    .describe('Combinations drawn at random (Bergstra and Bengio 2012).'),
  z
    .strictObject({
      kind: z.literal('successive-halving'),
      trials: z.int().min(2).max(MOST_RUNS),
      eta: z.int().min(2).max(10).default(3).describe('One in eta configurations goes on to the next rung.'),
      leastSteps: z.int().min(1).default(1).describe('Least steps of the first rung.'),
      seed: seed.default(0),
    })
    .describe(
      'Many configurations with few steps; the best go on with more (Jamieson and Talwalkar 2016, a bracket of ' +
        'Hyperband).',
    ),
]);
export type ExperimentStrategy = z.infer<typeof ExperimentStrategy>;

export const Objective = z.strictObject({
  metric: z.string().min(1).max(200).describe('The last value of this metric of a run.'),
  direction: z.enum(['maximize', 'minimize']).default('maximize'),
});
export type Objective = z.infer<typeof Objective>;

export const ExperimentSpec = z.strictObject({
  name: z.string().max(120).default(''),
  base: z.record(z.string(), z.unknown()).describe('The specification of the runs.'),
  axes: z.array(ExperimentAxis).max(16).default([]),
  strategy: ExperimentStrategy.default({ kind: 'grid' }),
  seeds: z
    .union([z.int().min(1).max(64), z.array(seed).min(1).max(64)])
    .default(1)
    .describe('A number of seeds, counted from that of the specification on, or a list of them.'),
  objective: Objective.optional().describe(
    'By default accuracy of a reward model; of a policy pass@1, or without verdicts accuracy or loss.',
  ),
});
export type ExperimentSpec = z.infer<typeof ExperimentSpec>;
export type ExperimentSpecInput = z.input<typeof ExperimentSpec>;

/** A decision of successive halving, made when all runs of a rung had ended. */
export const HalvingDecision = z.strictObject({
  rung: z.number(),
  /** Configurations from best to worst, with the mean over seeds; null if a run failed or has no value. */
  ranking: z.array(z.strictObject({ configuration: z.number(), score: z.number().nullable() })),
  /** Configurations that went on; the others were cut. */
  kept: z.array(z.number()),
});
export type HalvingDecision = z.infer<typeof HalvingDecision>;
