import { add, mul, neg, scalar, stopGradient, sum } from '../../../tensor/index.ts';
import { objective } from '../../kernel/objective.ts';
import { averagingWeights } from '../math/averages.ts';
import { weightedSum } from '../math/expressions.ts';

/**
 * Moves the weight α of entropy until the policy's is `perNumber` nats for each number of an action: the mean
 * of −α · (log π(a | s) + target) (Haarnoja et al., arXiv:1812.05905, eq. 18). Rows of one step.
 */
export const entropyTarget = ({ perNumber }: { readonly perNumber: number }) =>
  objective({
    id: `entropyTarget(${perNumber})`,
    needs: ['tokens', 'mask', 'weight'],
    prepare: ({ mask, weight }, limits) => ({ weights: averagingWeights(mask, weight, 'token', limits) }),
    loss: ({ tokens, weights }, learner) => {
      const step = learner.step(tokens);
      const { action, logp } = step.drawn();
      const target = scalar(perNumber * action.type.shape[1]);
      const share = sum(weights, [1]);
      const alpha = step.temperature();
      return {
        loss: weightedSum(share, neg(mul(alpha, add(stopGradient(logp), target)))),
        metrics: { 'policy/temperature': weightedSum(share, alpha) },
      };
    },
  });
