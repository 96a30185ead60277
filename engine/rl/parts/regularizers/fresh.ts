/** Terms of preference losses that are computed on sampled answers. */
import { add, mul, scalar, stopGradient, sub } from '../../../tensor/index.ts';
import type { PerRow } from '../../kernel/columns.ts';
import { objective } from '../../kernel/objective.ts';
import { maskedSums } from '../../kernel/rows.ts';
import { answerLogp, weightedSum } from '../math/expressions.ts';
import { sideOf } from '../math/pair-losses.ts';

/** Weights 1 ⁄ n for the n rows of `mark`, 0 for the others. */
const sharesOf = (mark_R: PerRow): Float64Array => {
  const marked = Math.max(
    mark_R.reduce((a, b) => a + b, 0),
    1,
  );
  return mark_R.map((value) => value / marked);
};

/**
 * KL(policy ‖ initial policy) of fresh answers in twos, as a score-function gradient with each answer's
 * log-ratio as the other's baseline: ½ (d₁ − d₂)(∇log π(y₁) − ∇log π(y₂)) with d = log π − log π_ref
 * (arXiv:2406.01462, algorithm 1). Only the gradient is meaningful; `kl` reports the divergence.
 */
export const freshKl = objective({
  id: 'freshKl',
  needs: ['tokens', 'mask', 'row/fresh', 'logp/initial'],
  unit: 2,
  prepare: ({ mask, 'row/fresh': fresh, 'logp/initial': reference }) => ({
    weights: sharesOf(fresh).map((share) => 2 * share),
    before: maskedSums(reference, mask),
  }),
  loss: ({ tokens, mask, before, weights }, learner) => {
    const logp_R = answerLogp(learner, tokens, mask);
    const ratio_R = stopGradient(sub(logp_R, before));
    const [one, other] = [sideOf(ratio_R, 0), sideOf(ratio_R, 1)];
    const pairShare = sideOf(weights, 0);
    const half = scalar(0.5);
    const surrogate = mul(sub(one, other), sub(sideOf(logp_R, 0), sideOf(logp_R, 1)));
    return {
      loss: weightedSum(pairShare, mul(surrogate, half)),
      metrics: { kl: weightedSum(pairShare, mul(add(one, other), half)) },
    };
  },
});

/** Optimism: minimizes the log-likelihood of the initial policy's answers (arXiv:2405.21046, algorithm 1). */
export const optimism = objective({
  id: 'optimism',
  needs: ['tokens', 'mask', 'row/initial'],
  prepare: ({ 'row/initial': initial }) => ({
    weights: sharesOf(initial),
  }),
  loss: ({ tokens, mask, weights }, learner) => {
    const logp = weightedSum(weights, answerLogp(learner, tokens, mask));
    return { loss: logp, metrics: { 'logps/initial': logp } };
  },
});
