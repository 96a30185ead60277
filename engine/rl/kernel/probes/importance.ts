import type { PerToken } from '../columns.ts';
import { rowCount } from '../rows.ts';

/** Comparison of a model's log-probabilities with those at sampling time. */
export interface Importance {
  /** Mean and greatest absolute difference over the sampled tokens, in nats. */
  readonly difference: { readonly mean: number; readonly max: number };
  /**
   * Effective sample size as a share of the answers: (Σ w)² ⁄ (n Σ w²) with w = π(answer) ⁄ μ(answer) (Kish
   * 1965); 1 if all weights are equal, 1 ⁄ n if one answer has all of the weight.
   */
  readonly effective: number;
}

/**
 * Compares `own`, under the current model, with `behavior`, at sampling time, on tokens in `mask`. Undefined
 * without a sampled token.
 */
export const importanceOf = (
  own: PerToken,
  behavior: PerToken,
  mask: PerToken<Uint8Array>,
): Importance | undefined => {
  const logWeights = new Float64Array(rowCount(mask));
  let [sum, max, tokens] = [0, 0, 0];
  for (let r = 0; r < logWeights.length; r++)
    for (let t = mask.offsets[r]; t < mask.offsets[r + 1]; t++) {
      if (!mask.values[t]) continue;
      const d = own.values[t] - behavior.values[t];
      logWeights[r] += d;
      sum += Math.abs(d);
      max = Math.max(max, Math.abs(d));
      tokens++;
    }
  if (tokens === 0) return undefined;
  const top = logWeights.reduce((most, x) => Math.max(most, x), -Infinity);
  let [whole, squares] = [0, 0];
  for (const x of logWeights) {
    const weight = Math.exp(x - top);
    whole += weight;
    squares += weight * weight;
  }
  return {
    difference: { mean: sum / tokens, max },
    effective: whole ** 2 / (logWeights.length * squares),
  };
};
