import { mul, neg, stopGradient, sub, sum } from '../../../tensor/index.ts';
import { objective } from '../../kernel/objective.ts';
import { averagingWeights } from '../math/averages.ts';
import { weightedSum } from '../math/expressions.ts';

/**
 * Mean of α log π(a | s) − least Q(s, a) over actions drawn with the rows' noise, whose gradient goes through
 * the action (Haarnoja et al., arXiv:1812.05905, eq. 9); neither α nor the critics learn from it. Rows of one
 * step.
 */
export const softPolicy = objective({
  id: 'softPolicy',
  needs: ['tokens', 'mask', 'weight'],
  prepare: ({ mask, weight }, limits) => ({ weights: averagingWeights(mask, weight, 'token', limits) }),
  loss: ({ tokens, weights }, learner) => {
    const step = learner.step(tokens);
    const { action, logp } = step.drawn();
    const share = sum(weights, [1]);
    const cost = sub(mul(stopGradient(step.temperature()), logp), step.least(action));
    return { loss: weightedSum(share, cost), metrics: { 'policy/entropy': weightedSum(share, neg(logp)) } };
  },
});
