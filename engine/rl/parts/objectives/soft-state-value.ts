import {
  add,
  div,
  exp,
  maximum,
  minimum,
  mul,
  relu,
  scalar,
  stopGradient,
  sub,
  sum,
} from '../../../tensor/index.ts';
import { objective } from '../../kernel/objective.ts';
import { averagingWeights } from '../math/averages.ts';
import { weightedSum } from '../math/expressions.ts';

/** Where e^z − z − 1 goes on as a line with its slope there. */
const CAP = 7;
/** Deviation of the noise on stored actions, and how far it moves one at most. */
const NEAR = { deviation: 0.1, most: 0.5 };

/**
 * Gumbel regression of a state's value on the least Q of stored actions with noise, its soft maximum over
 * them at temperature β (ROER, arXiv:2407.03995): z = (Q − V) ⁄ β, e^z − z − 1 up to z = 7 and a line beyond,
 * over the mean of max(1, e^min(z, 7)), which no gradient goes through. The critics do not learn from it.
 * `rows`: of a batch, which the mean is taken over; no micro-batch separates them. Rows of one step.
 */
export const softStateValue = ({ beta, rows }: { readonly beta: number; readonly rows: number }) =>
  objective({
    id: `softStateValue(${beta}, ${rows})`,
    needs: ['tokens', 'mask', 'weight'],
    unit: rows,
    prepare: ({ mask, weight }, limits) => ({ weights: averagingWeights(mask, weight, 'token', limits) }),
    loss: ({ tokens, weights }, learner) => {
      const step = learner.step(tokens);
      const value = step.value();
      const z = mul(sub(stopGradient(step.least(step.near(NEAR))), value), scalar(1 / beta));
      const grown = exp(minimum(z, scalar(CAP)));
      const beyond = mul(scalar(Math.exp(CAP)), relu(sub(z, scalar(CAP))));
      const gumbel = sub(sub(add(grown, beyond), z), scalar(1));
      const share = sum(weights, [1]);
      const scale = stopGradient(weightedSum(share, maximum(grown, scalar(1))));
      return {
        loss: div(weightedSum(share, gumbel), scale),
        metrics: { 'value/state': weightedSum(share, value) },
      };
    },
  });
