import { z } from 'zod';
import { RewardInspection } from '../../engine/schema/evaluation.ts';
import { RewardFault } from '../../engine/schema/results.ts';
import { call, feed, real } from './define.ts';

const id = z.string().min(1);

/**
 * A number of each answer, beside what was stored under the same name: how the two go together is null where
 * one never varies, or none is stored.
 */
const Compared = z.strictObject({ mean: real, stored: real.nullable(), correlation: real.nullable() });

/** An answer whose advantage has moved: the totals and the advantages that it had and would have had. */
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

/** What other rewards make of the stored answers of a run. */
export const Rescored = z.strictObject({
  runId: z.string(),
  rows: real,
  /** Attempts at one prompt in one step. */
  groups: real,
  scorers: z.record(z.string(), Compared),
  total: Compared,
  /**
   * Group advantages now and as they were: how they go together, mean |change|, and the share of answers
   * whose advantage changed its sign.
   */
  advantages: z.strictObject({ correlation: real.nullable(), meanChange: real, signsChanged: real }),
  /**
   * Share of answers that stand otherwise to another answer of their group than they did, ties included; null
   * where nothing is stored to compare with.
   */
  reordered: real.nullable(),
  /** Answers that a scorer failed on, and the first of them. */
  faults: real,
  failed: z.array(RewardFault),
  /**
   * Answers that the run's initial model wrote for this, and answers that it read: asked anew, of the model
   * that the run began with.
   */
  asked: z.strictObject({ answers: real, features: real }),
  /** The answers whose advantages moved most, the farthest first. */
  moved: z.array(Moved),
  /** Stored and new total of some of the answers, evenly chosen. */
  points: z.strictObject({ stored: z.array(real), now: z.array(real) }),
  /** Names of the score rows that were added; nothing that was stored is touched. */
  saved: z.array(z.string()),
});
export type Rescored = z.infer<typeof Rescored>;

/** Steps of the run that are scored; the last value brings the result. */
export const RescoreProgress = z.strictObject({
  done: z.number(),
  total: z.number(),
  result: Rescored.nullable(),
});
export type RescoreProgress = z.infer<typeof RescoreProgress>;

export const rewards = {
  /** The inspection of a finished reward-model run. */
  inspect: call(z.strictObject({ runId: id }), RewardInspection),
  /** What the code of a reward makes of some demonstrations of a world; code that fails is an answer too. */
  trySnippet: call(
    z.strictObject({
      code: z.string().min(1).max(20_000),
      world: z.strictObject({ id, params: z.record(z.string(), z.unknown()).default({}) }),
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
   * Scores text now: with the newest judge that a run has saved, with a checkpoint, or with a model of the
   * list. A judge in words gives the probability of its verdict. Null: longer than it reads.
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
   * Other rewards on the stored answers of a run. Letting go of it stops the work at once. `save`: the values
   * become score rows beside the stored ones.
   */
  rescore: feed(
    z.strictObject({
      runId: id,
      rewards: z.array(z.unknown()).min(1).max(32),
      save: z.boolean().default(false),
    }),
    RescoreProgress,
  ),
};
