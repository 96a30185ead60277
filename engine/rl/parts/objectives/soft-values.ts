import {
  abs,
  add,
  minimum,
  mul,
  scalar,
  square,
  stopGradient,
  sub,
  sum,
  type Expr,
} from '../../../tensor/index.ts';
import { objective, type ModelGraphView } from '../../kernel/objective.ts';
import { averagingWeights } from '../math/averages.ts';
import { stepValue, weightedSum } from '../math/expressions.ts';

interface Steps {
  readonly tokens: Expr;
  readonly 'credit/earned': Expr;
  readonly 'row/terminal': Expr;
}

/** [R] each: errors of both critics against the target of `softValues`, and what the first one says. */
const errorsOf = (
  { tokens, 'credit/earned': earned, 'row/terminal': terminal }: Steps,
  learner: ModelGraphView,
  gamma: number,
): { readonly errors: readonly [Expr, Expr]; readonly value: Expr } => {
  const step = learner.step(tokens);
  const next = step.drawnAfter();
  const soft = sub(step.leastAfter('average', next.action), mul(step.temperature(), next.logp));
  const goesOn = sub(scalar(1), terminal);
  const target = stopGradient(add(stepValue(earned), mul(scalar(gamma), mul(goesOn, soft))));
  const [first, second] = step.values(step.action);
  return { errors: [sub(first, target), sub(second, target)], value: first };
};

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
    loss: (inputs, learner) => {
      const { errors, value } = errorsOf(inputs, learner, gamma);
      const both = add(square(errors[0]), square(errors[1]));
      const share = sum(inputs.weights, [1]);
      return {
        loss: weightedSum(share, both),
        metrics: {
          'value/error': mul(scalar(0.5), weightedSum(share, both)),
          'value/mean': weightedSum(share, value),
        },
      };
    },
  });

/**
 * The same with the weights `row/importance`, and errors that are squared up to `threshold` and go on as a
 * line beyond it: twice Huber's. The metrics are those of `softValues`, without weights.
 */
export const weighedSoftValues = ({
  gamma,
  threshold,
}: {
  readonly gamma: number;
  readonly threshold: number;
}) =>
  objective({
    id: `weighedSoftValues(${gamma}, ${threshold})`,
    needs: ['tokens', 'mask', 'weight', 'credit/earned', 'row/terminal', 'row/importance'],
    models: ['average'],
    prepare: ({ mask, weight }, limits) => ({ weights: averagingWeights(mask, weight, 'token', limits) }),
    loss: (inputs, learner) => {
      const { errors, value } = errorsOf(inputs, learner, gamma);
      const [first, second] = errors.map((error) => {
        const size = abs(error);
        const within = minimum(size, scalar(threshold));
        return mul(within, sub(mul(scalar(2), size), within));
      });
      const share = sum(inputs.weights, [1]);
      const squared = add(square(errors[0]), square(errors[1]));
      return {
        loss: weightedSum(mul(share, inputs['row/importance']), add(first, second)),
        metrics: {
          'value/error': mul(scalar(0.5), weightedSum(share, squared)),
          'value/mean': weightedSum(share, value),
        },
      };
    },
  });
