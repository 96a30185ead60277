import { z } from 'zod';
import { call } from './define.ts';

const id = z.string().min(1);

/** What a reward-model run found on held-out pairs; the engine writes it as the result `reward-inspection`. */
export const RewardInspection = z.strictObject({
  pairs: z.number(),
  accuracy: z.number(), accuracyInterval: z.tuple([z.number(), z.number()]),
  /** Expected calibration error of σ(margin), in 10 equal-width bins. */
  ece: z.number(),
  reliability: z.array(z.strictObject({ from: z.number(), to: z.number(), n: z.number(), confidence: z.number(), accuracy: z.number() })),
  /** Pearson correlation of score and answer length in tokens, over held-out answers. */
  lengthCorrelation: z.number(),
  scores: z.array(z.strictObject({ from: z.number(), to: z.number(), correct: z.number(), wrong: z.number(), unmarked: z.number() })),
  margins: z.array(z.strictObject({ from: z.number(), to: z.number(), n: z.number() })),
  /** Accuracy by slice of the pairs, each with n and interval; slices overlap. */
  slices: z.array(z.strictObject({ name: z.string(), n: z.number(), accuracy: z.number(), interval: z.tuple([z.number(), z.number()]) })),
  baselines: z.strictObject({ longest: z.number(), shortest: z.number() }),
  /** Score = intercept + slope · tokens, least squares; used by the length-debiased reward. */
  lengthFit: z.strictObject({ intercept: z.number(), slope: z.number() }),
});
export type RewardInspection = z.infer<typeof RewardInspection>;

export const rewards = {
  /** The inspection of a finished reward-model run. */
  inspect: call(z.strictObject({ runId: id }), RewardInspection),
  /** Scores text now, with the newest checkpoint of a reward-model run. */
  score: call(z.strictObject({ runId: id, items: z.array(z.strictObject({ prompt: z.string(), completion: z.string() })).min(1).max(64) }), z.strictObject({ scores: z.array(z.number()) })),
};
