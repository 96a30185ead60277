import type { PerRow, PerToken } from '../../kernel/columns.ts';
import type { Limits } from '../../kernel/objective.ts';
import { broadcast, maskedCounts } from '../../kernel/rows.ts';

/**
 * Averages per-token losses. `sequence`: mean over each answer, then over answers. `token`: mean over all
 * tokens of the batch, so that long answers count more. `constant`: each answer's sum ÷ the maximum length
 * (arXiv:2503.20783). `answer`: each answer's sum, its log-probability as a whole, then the mean over
 * answers.
 */
export type Average = 'sequence' | 'token' | 'constant' | 'answer';

/**
 * Weights w such that loss = Σ w·l over the tokens of a whole batch; a batch then equals the sum of its
 * micro-batches exactly.
 */
export const averagingWeights = (
  mask_RT: PerToken<Uint8Array>,
  weight_R: PerRow,
  average: Average,
  { maxTokens }: Limits,
): PerToken<Float64Array> => {
  const counts = maskedCounts(mask_RT);
  const rows = weight_R.reduce((total, w) => total + w, 0);
  const tokens = counts.reduce((total, n, r) => total + n * weight_R[r], 0);
  const divisors: { readonly [A in Average]: (r: number) => number } = {
    sequence: (r) => rows * Math.max(counts[r], 1),
    token: () => Math.max(tokens, Number.MIN_VALUE),
    constant: () => rows * maxTokens,
    answer: () => rows,
  };
  return broadcast(
    weight_R.map((w, r) => (w === 0 ? 0 : w / divisors[average](r))),
    mask_RT,
  );
};

/** The weights of a loss, and each token's share of a mean over all tokens, used for metrics. */
export const averagedAndShared = (
  mask_RT: PerToken<Uint8Array>,
  weight_R: PerRow,
  average: Average,
  limits: Limits,
): { weights: PerToken<Float64Array>; tokenShare: PerToken<Float64Array> } => ({
  weights: averagingWeights(mask_RT, weight_R, average, limits),
  tokenShare: averagingWeights(mask_RT, weight_R, 'token', limits),
});
