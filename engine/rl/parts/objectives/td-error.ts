import { abs, minimum, mul, scalar, square, sub } from '../../../tensor/index.ts';
import { objective } from '../../kernel/objective.ts';
import { averagingWeights } from '../math/averages.ts';
import { tokenLogit, weightedSum } from '../math/expressions.ts';

/**
 * Mean error of the logits of taken actions, as their values, against `returns`: squared, or Huber's with
 * threshold 1, e² ⁄ 2 up to |e| = 1 and |e| − ½ beyond (Mnih et al. 2015 clip the error at 1, which is its
 * gradient).
 */
export const tdError = ({ loss }: { readonly loss: 'squared' | 'huber' }) =>
  objective({
    id: `tdError(${loss})`,
    needs: ['tokens', 'mask', 'weight', 'returns'],
    prepare: ({ mask, weight }, limits) => ({ weights: averagingWeights(mask, weight, 'token', limits) }),
    loss: ({ tokens, weights, returns }, learner) => {
      const value = tokenLogit(learner, tokens);
      const squared = square(sub(value, returns));
      const size = abs(sub(value, returns));
      const within = minimum(size, scalar(1));
      const error = loss === 'squared' ? squared : mul(within, sub(size, mul(scalar(0.5), within)));
      return {
        loss: weightedSum(weights, error),
        metrics: { 'value/error': weightedSum(weights, squared), 'value/mean': weightedSum(weights, value) },
      };
    },
  });
