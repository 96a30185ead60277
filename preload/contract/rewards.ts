import { z } from 'zod';
import { call, real } from './define.ts';

const id = z.string().min(1);

/** What a reward-model run found on held-out pairs; the engine writes it as the result `reward-inspection`. */
export const RewardInspection = z.strictObject({
  pairs: real,
  accuracy: real, accuracyInterval: z.tuple([real, real]),
  /** Expected calibration error of σ(margin), in 10 equal-width bins. */
  ece: real,
  reliability: z.array(z.strictObject({ from: real, to: real, n: real, confidence: real, accuracy: real })),
  /** Pearson correlation of score and answer length in tokens, over held-out answers. */
  lengthCorrelation: real,
  scores: z.array(z.strictObject({ from: real, to: real, correct: real, wrong: real, unmarked: real })),
  margins: z.array(z.strictObject({ from: real, to: real, n: real })),
  /** Accuracy by slice of the pairs, each with n and interval; slices overlap. */
  slices: z.array(z.strictObject({ name: z.string(), n: real, accuracy: real, interval: z.tuple([real, real]) })),
  baselines: z.strictObject({ longest: real, shortest: real }),
  /** Score = intercept + slope · tokens, least squares; used by the length-debiased reward. */
  lengthFit: z.strictObject({ intercept: real, slope: real }),
});
export type RewardInspection = z.infer<typeof RewardInspection>;

export const rewards = {
  /** The inspection of a finished reward-model run. */
  inspect: call(z.strictObject({ runId: id }), RewardInspection),
  /** What the code of a reward makes of some demonstrations of a world; code that fails is an answer too. */
  trySnippet: call(
    z.strictObject({ code: z.string().min(1).max(20_000), world: z.strictObject({ id, params: z.record(z.string(), z.unknown()).default({}) }) }),
    z.array(z.strictObject({ prompt: z.string(), completion: z.string(), value: real.nullable(), error: z.strictObject({ kind: z.string(), message: z.string() }).nullable(), log: z.string() })),
  ),
  /** Scores text now, with the newest checkpoint of a reward-model run. */
  score: call(z.strictObject({ runId: id, items: z.array(z.strictObject({ prompt: z.string(), completion: z.string() })).min(1).max(64) }), z.strictObject({ scores: z.array(real) })),
};
