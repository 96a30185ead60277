import * as z from 'zod';
import { RewardInspection } from '../../engine/schema/evaluation.ts';
import { RewardFault } from '../../engine/schema/results.ts';
import { call, feed, real } from './define.ts';

const id = z.string().min(1);

/**
 * A value per answer, next to the one stored under the same name; the correlation is null if either is
 * constant or none is stored.
 */
const Compared = z.strictObject({ mean: real, stored: real.nullable(), correlation: real.nullable() });

/** An answer whose advantage changed: its totals and advantages before and after. */
const Moved = z.strictObject({
  sampleId: z.string(),
  step: real,
  prompt: z.string(),
  completion: z.string(),
  stored: real,
  now: real,
  storedAdvantage: real,
  nowAdvantage: real,
});

/** Other rewards on the stored answers of a run. */
export const Rescored = z.strictObject({
  runId: z.string(),
  rows: real,
  /** Answers to one prompt in one step. */
  groups: real,
  scorers: z.record(z.string(), Compared),
  total: Compared,
  /**
   * Group advantages before and after: their correlation, the mean absolute change, and the share of answers
   * whose advantage changed its sign.
   */
  advantages: z.strictObject({ correlation: real.nullable(), meanChange: real, signsChanged: real }),
  /**
   * Share of answers whose order against another answer of their group changed, ties included; null if
   * nothing is stored to compare with.
   */
  reordered: real.nullable(),
  /** Number of answers that a scorer failed on, and the first of them. */
  faults: real,
  failed: z.array(RewardFault),
  /**
   * Number of answers that the run's initial model generated for this, and of answers whose features it
   * computed.
   */
  recomputed: z.strictObject({ answers: real, features: real }),
  /** The answers whose advantages changed most, largest change first. */
  moved: z.array(Moved),
  /** Stored and new total of some of the answers, evenly chosen. */
  points: z.strictObject({ stored: z.array(real), now: z.array(real) }),
  /** Names of the score rows that were added; stored ones stay unchanged. */
  saved: z.array(z.string()),
});
export type Rescored = z.infer<typeof Rescored>;

/** Progress in steps of the run; the last value holds the result. */
export const RescoreProgress = z.strictObject({
  done: z.number(),
  total: z.number(),
  result: Rescored.nullable(),
});
export type RescoreProgress = z.infer<typeof RescoreProgress>;

export const rewards = {
  /** The inspection of a finished reward-model run. */
  inspect: call(z.strictObject({ runId: id }), RewardInspection),
  /**
   * Runs a reward's code on some answers of a task: demonstrations of a world, or the first rows of a dataset,
   * each with its own answer or else its reference. Code that fails is a valid result.
   */
  trySnippet: call(
    z.strictObject({
      code: z.string().min(1).max(20_000),
      task: z.discriminatedUnion('kind', [
        z.strictObject({
          kind: z.literal('world'),
          id,
          params: z.record(z.string(), z.unknown()).default({}),
        }),
        z.strictObject({ kind: z.literal('dataset'), datasetId: id }),
      ]),
    }),
    z.array(
      z.strictObject({
        prompt: z.string(),
        completion: z.string(),
        value: real.nullable(),
        error: z.strictObject({ kind: z.string(), message: z.string() }).nullable(),
        log: z.string(),
      }),
    ),
  ),
  /**
   * Scores text with a run's newest judge, a checkpoint, or an added model. A judge in words returns the
   * probability of its verdict. Null: the text exceeds the context.
   */
  score: call(
    z.strictObject({
      from: z.strictObject({ kind: z.enum(['run', 'checkpoint', 'model']), id }),
      items: z
        .array(z.strictObject({ prompt: z.string(), completion: z.string() }))
        .min(1)
        .max(64),
    }),
    z.strictObject({ scores: z.array(real.nullable()) }),
  ),
  /**
   * Scores the stored answers of a run with other rewards, or with another total of them. Closing the feed stops the work at once. `save`:
   * stores the values as score rows next to the existing ones.
   */
  rescore: feed(
    z.strictObject({
      runId: id,
      rewards: z.array(z.unknown()).min(1).max(32),
      /** Makes their total; null: the weighted sum; absent: the run's own. */
      composer: z.unknown().optional(),
      save: z.boolean().default(false),
    }),
    RescoreProgress,
  ),
};
