/** Soft Bellman consistency of a policy and its values, on stored answers. */
import { add, cumsum, mul, scalar, square, stopGradient, sub } from '../../tensor/index.ts';
import { objective } from '../kernel/objective.ts';
import { broadcast } from '../kernel/rows.ts';
import { stage } from '../kernel/stage.ts';
import { averagingWeights } from './averages.ts';
import { dot } from './sums.ts';

/**
 * What is left to come at each token of a stored answer: R − β·Σ_{i ≥ t} log π/π_ref, the target of a soft
 * value (arXiv:2412.16145, the value loss).
 */
export const softReturns = ({ beta }: { readonly beta: number }) =>
  stage({
    id: `softReturns(${beta})`,
    needs: ['mask', 'reward/total', 'logp/policy', 'logp/initial'],
    adds: ['returns'],
    run: async ({ mask, 'reward/total': rewards_R, 'logp/policy': policy, 'logp/initial': reference }) => {
      const values = new Float64Array(mask.values.length);
      rewards_R.forEach((reward, r) => {
        for (let at = mask.offsets[r + 1] - 1, later = reward; at >= mask.offsets[r]; at--) {
          if (!mask.values[at]) continue;
          later -= beta * (policy.values[at] - reference.values[at]);
          values[at] = later;
        }
      });
      return { columns: { returns: { axis: 'T', values, offsets: mask.offsets } } };
    },
  });

/**
 * Soft Bellman consistency of the policy (arXiv:2412.16145, the policy loss): (V(s_t) + β·log π/π_ref(a_t) +
 * β·sg Σ_{i > t} log π/π_ref − R)², the critic's value held fixed. The paper's extra penalty on the whole
 * distribution's divergence is left out.
 */
export const softBellman = ({ beta }: { readonly beta: number }) =>
  objective({
    id: `softBellman(${beta})`,
    needs: ['tokens', 'mask', 'weight', 'reward/total', 'values', 'logp/initial'],
    prepare: ({ mask, weight, values, 'reward/total': reward }, limits) => {
      const earned = broadcast(reward, mask);
      return {
        w: averagingWeights(mask, weight, 'token', limits),
        answer: { ...mask, values: Float32Array.from(mask.values) },
        known: { ...earned, values: earned.values.map((r, at) => r - values.values[at]) },
      };
    },
    loss: ({ tokens, 'logp/initial': reference, w, answer, known }, learner) => {
      const gained = mul(answer, sub(learner.logp(tokens), reference));
      const fixed = stopGradient(gained);
      const later = sub(cumsum(fixed, 1, { reverse: true }), fixed);
      return { loss: dot(w, square(sub(mul(scalar(beta), add(gained, later)), known))) };
    },
  });

/** Regression of a critic on its targets: mean (V − R)². */
export const valueRegression = objective({
  id: 'valueRegression',
  needs: ['tokens', 'mask', 'weight', 'returns'],
  prepare: ({ mask, weight }, limits) => ({ w: averagingWeights(mask, weight, 'token', limits) }),
  loss: ({ tokens, returns, w }, learner) => {
    const error = dot(w, square(sub(learner.values(tokens), returns)));
    return { loss: error, metrics: { 'value/error': error } };
  },
});
