import { neg } from '../../../tensor/index.ts';
import { objective } from '../../kernel/objective.ts';
import { averagingWeights } from '../math/averages.ts';
import { weightedSum } from '../math/expressions.ts';

/**
 * Entropy bonus: minus the mean entropy of the trained tokens, times the weight that controllers set for
 * `entropy`.
 */
export const entropyBonus = objective({
  id: 'entropyBonus',
  needs: ['tokens', 'mask', 'weight'],
  prepare: ({ mask, weight }, limits) => {
    const { values, ...rows } = averagingWeights(mask, weight, 'token', limits);
    const share = limits.weights?.entropy ?? 1;
    return { weights: { ...rows, values: share === 1 ? values : values.map((w) => w * share) } };
  },
  loss: ({ tokens, weights }, learner) => ({ loss: neg(weightedSum(weights, learner.entropy(tokens))) }),
});
