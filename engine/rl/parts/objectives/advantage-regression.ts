import { add, cast, cumsum, gather, iota, mul, reshape, scalar, square, sub } from '../../../tensor/index.ts';
import { objective } from '../../kernel/objective.ts';
import { averagingWeights } from '../math/averages.ts';
import { maskedDifference, weightedSum } from '../math/expressions.ts';
import { stepPlaces } from '../math/steps.ts';

/**
 * Direct advantage (arXiv:2412.18279): ½·(β·Σ log π ⁄ π_old − A)² of each step, the sum over the step’s
 * tokens, π_old the sampling policy; mean over the steps of the batch. Its minimum over policies is not
 * quite π_old·exp(A ⁄ β), whose sum is above 1: see `regressed` in `../kernel/optimum.ts`.
 */
export const advantageRegression = ({ beta }: { readonly beta: number }) =>
  objective({
    id: `advantageRegression(${beta})`,
    needs: ['tokens', 'mask', 'weight', 'stepEnd', 'credit/step', 'behaviorLogp'],
    prepare: ({ mask, weight, stepEnd }, limits) => {
      const first = new Float32Array(mask.values.length);
      stepPlaces(mask, stepEnd).forEach((steps, r) =>
        steps.forEach((step) => {
          first[step.last] = step.first - mask.offsets[r];
        }),
      );
      return {
        weights: averagingWeights(stepEnd, weight, 'token', limits),
        first: { ...mask, values: first },
      };
    },
    loss: ({ tokens, behaviorLogp, 'credit/step': advantage, mask, weights, first }, learner) => {
      const [R, T] = first.type.shape;
      const gained = maskedDifference(mask, learner.logp(tokens), behaviorLogp);
      const upTo = cumsum(gained, 1);
      // sums over steps: up to the last token, minus those before the first one
      const begins = add(cast(first, 'int32'), reshape(mul(iota(R), scalar(T, 'int32')), [R, 1]));
      const ofStep = sub(upTo, gather(reshape(sub(upTo, gained), [R * T]), begins));
      const error = weightedSum(weights, square(sub(mul(scalar(beta), ofStep), advantage)));
      return { loss: mul(scalar(0.5), error), metrics: { 'advantage/error': error } };
    },
  });
