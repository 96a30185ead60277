import * as z from 'zod';
import { Interval } from '../../engine/schema/evaluation.ts';
import { call, real } from './define.ts';
import { LabelSet } from './labels.ts';

const id = z.string().min(1);
const RunName = z.strictObject({ id: z.string(), name: z.string() });

/** Decided comparisons of one pair of runs. */
export const Duel = z.strictObject({
  a: z.string(),
  b: z.string(),
  aWins: real,
  bWins: real,
  ties: real,
  /** Share of comparisons that a wins, a tie counting one half, with its 95 % interval. */
  rate: real,
  interval: Interval,
});

export const HeadToHead = z.strictObject({
  runs: z.array(RunName),
  pairs: real,
  decided: real,
  /** Pairs of the same answer, which count as ties without being shown. */
  equal: real,
  duels: z.array(Duel),
  /**
   * Log-abilities by Davidson's model relative to the first run, with their 95 % intervals, the best first;
   * null while they have no finite maximum, with the reason.
   */
  abilities: z.array(z.strictObject({ runId: z.string(), ability: real, interval: Interval })).nullable(),
  reason: z.string().nullable(),
  /**
   * Further decisions on the closest pair of runs after which they would be told apart with 80 % power, if the
   * rates stay as they are; 0 if all are told apart, null if two are equal or nothing is decided.
   */
  more: real.nullable(),
});
export type HeadToHead = z.infer<typeof HeadToHead>;

/** Blind comparisons of runs: a label set of their answers to the same problems. */
export const headToHead = {
  /**
   * Makes a label set of answers of the runs' newest evaluations to the problems that they share, each pair from
   * two different runs. Labels become preference data like those of any set.
   */
  create: call(
    z.strictObject({
      runIds: z.array(id).min(2).max(8),
      name: z.string().trim().max(200).default(''),
      pairs: z.int().min(1).max(5000).default(200),
      seed: z.int().min(0).default(0),
    }),
    LabelSet,
  ),
  /** Sets that compare at least two of these runs, newest first. */
  list: call(z.strictObject({ runIds: z.array(id).min(1).max(64) }), z.array(LabelSet)),
  table: call(z.strictObject({ setId: id }), HeadToHead),
};
