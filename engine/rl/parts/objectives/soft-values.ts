import { add, mul, scalar, square, stopGradient, sub, sum } from '../../../tensor/index.ts';
import { objective } from '../../kernel/objective.ts';
import { averagingWeights } from '../math/averages.ts';
import { stepValue, weightedSum } from '../math/expressions.ts';

/**
 * Mean squared errors of both critics against y = r + γ · (least Q⁻(s', a') − α log π(a' | s')), a' drawn
 * from the policy and Q⁻ of the snapshot `average` (Haarnoja et al., arXiv:1812.05905, eqs. 5 and 6). Behind
 * a terminal state nothing follows. Rows of one step.
 */
export const softValues = ({ gamma }: { readonly gamma: number }) =>
  objective({
    id: `softValues(${gamma})`,
    needs: ['tokens', 'mask', 'weight', 'credit/earned', 'row/terminal'],
    models: ['average'],
    prepare: ({ mask, weight }, limits) => ({ weights: averagingWeights(mask, weight, 'token', limits) }),
    loss: ({ tokens, weights, 'credit/earned': earned, 'row/terminal': terminal }, learner) => {
      const step = learner.step(tokens);
      const next = step.drawnAfter();
      const soft = sub(step.leastAfter('average', next.action), mul(step.temperature(), next.logp));
      const goesOn = sub(scalar(1), terminal);
      const target = stopGradient(add(stepValue(earned), mul(scalar(gamma), mul(goesOn, soft))));
      const [first, second] = step.values(step.action);
      const errors = add(square(sub(first, target)), square(sub(second, target)));
      const share = sum(weights, [1]);
      return {
        loss: weightedSum(share, errors),
        metrics: {
          'value/error': mul(scalar(0.5), weightedSum(share, errors)),
          'value/mean': weightedSum(share, first),
        },
      };
    },
  });
