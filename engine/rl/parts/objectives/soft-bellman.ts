import { add, cumsum, mul, scalar, square, stopGradient, sub } from '../../../tensor/index.ts';
import { objective } from '../../kernel/objective.ts';
import { broadcast } from '../../kernel/rows.ts';
import { averagingWeights } from '../math/averages.ts';
import { maskedDifference, weightedSum } from '../math/expressions.ts';

/**
 * Soft Bellman consistency of the policy (arXiv:2412.16145, the policy loss): (V(s_t) + β·log π/π_ref(a_t) +
 * β·sg Σ_{i > t} log π/π_ref − R)², with the critic's value fixed. The paper's extra penalty on the whole
 * distribution's divergence is left out.
 */
export const softBellman = ({ beta }: { readonly beta: number }) =>
  objective({
    id: `softBellman(${beta})`,
    needs: ['tokens', 'mask', 'weight', 'reward/total', 'values', 'logp/initial'],
    prepare: ({ mask, weight, values, 'reward/total': reward }, limits) => {
      const earned = broadcast(reward, mask);
      return {
        weights: averagingWeights(mask, weight, 'token', limits),
        known: { ...earned, values: earned.values.map((r, at) => r - values.values[at]) },
      };
    },
    loss: ({ tokens, mask, 'logp/initial': reference, weights, known }, learner) => {
      const gained = maskedDifference(mask, learner.logp(tokens), reference);
      const fixed = stopGradient(gained);
      const later = sub(cumsum(fixed, 1, { reverse: true }), fixed);
      return { loss: weightedSum(weights, square(sub(mul(scalar(beta), add(gained, later)), known))) };
    },
  });
