import {
  abs,
  exp,
  maximum,
  mul,
  neg,
  reshape,
  scalar,
  stopGradient,
  sub,
  sum,
} from '../../../tensor/index.ts';
import { objective } from '../../kernel/objective.ts';
import { averagingWeights } from '../math/averages.ts';
import { clippedCredit, type ClipRange } from '../math/clipping.ts';
import { maskedDifference, weightedSum } from '../math/expressions.ts';
import { stepPlaces } from '../math/steps.ts';

interface Unit {
  readonly first: number;
  readonly last: number;
}

/** The turns of a row, or all of them as one. */
const unitsOf = (turns: readonly Unit[], ratio: 'turn' | 'trajectory'): readonly Unit[] =>
  ratio === 'turn' || turns.length === 0
    ? turns
    : [{ first: turns[0].first, last: turns[turns.length - 1].last }];

/**
 * The clipped surrogate with one ratio per step, or per whole answer: π ⁄ μ of all its tokens together, their
 * product, so that a turn is clipped as a whole (LOOP, arXiv:2502.01600, section 4: ratios per token, turn or
 * trajectory). A step counts as often as it has tokens; its advantage is its tokens' mean. The product is
 * taken over tokens of one row by a T × T table of equal steps.
 */
export const stepSurrogate = ({
  clipLow,
  clipHigh,
  ratio,
}: ClipRange & { readonly ratio: 'turn' | 'trajectory' }) =>
  objective({
    id: `stepSurrogate(${clipLow}, ${clipHigh}, ${ratio})`,
    needs: ['tokens', 'mask', 'weight', 'stepEnd', 'behaviorLogp', 'advantage'],
    prepare: ({ mask, weight, stepEnd, advantage }, limits) => {
      const steps = new Float32Array(mask.values.length);
      const credit = new Float64Array(mask.values.length);
      for (const own of stepPlaces(mask, stepEnd)) {
        unitsOf(own, ratio).forEach(({ first, last }, s) => {
          let [count, total] = [0, 0];
          for (let at = first; at <= last; at++) {
            if (!mask.values[at]) continue;
            steps[at] = s + 1;
            count++;
            total += advantage.values[at];
          }
          for (let at = first; at <= last; at++) if (mask.values[at]) credit[at] = total / count;
        });
      }
      const { offsets } = mask;
      return {
        weights: averagingWeights(mask, weight, 'token', limits),
        steps: { axis: 'T', values: steps, offsets },
        credit: { axis: 'T', values: credit, offsets },
      };
    },
    loss: ({ tokens, mask, behaviorLogp, weights, steps, credit }, learner) => {
      const difference = maskedDifference(mask, learner.logp(tokens), behaviorLogp);
      const [R, T] = difference.type.shape;
      const [row, column] = [reshape(steps, [R, T, 1]), reshape(steps, [R, 1, T])];
      // steps are whole numbers: 1 where they are equal, 0 elsewhere
      const same = maximum(sub(scalar(1), abs(sub(row, column))), scalar(0));
      const logRatio = mul(mask, sum(mul(same, reshape(difference, [R, 1, T])), [2]));
      const { surrogate, clipShares } = clippedCredit(exp(logRatio), credit, { clipLow, clipHigh }, weights);
      return {
        loss: neg(weightedSum(weights, surrogate)),
        metrics: {
          ...clipShares,
          entropy: weightedSum(weights, stopGradient(learner.entropy(tokens))),
        },
      };
    },
  });
