import type { Expr } from '../../../tensor/index.ts';
import { type LossParts, type ModelGraphView, objective } from '../../kernel/objective.ts';
import { broadcast } from '../../kernel/rows.ts';
import { type Average, averagedAndShared } from '../math/averages.ts';
import { maskedDifference, weightedSum } from '../math/expressions.ts';
import { type Estimator, estimators } from './kl-to-reference.ts';

interface Divergence {
  readonly estimator: Estimator;
  readonly average?: Average;
}

const lossOf =
  (model: string, estimator: Estimator) =>
  (inputs: { readonly [name: string]: Expr }, learner: ModelGraphView): LossParts => {
    const { tokens, mask, weights, tokenShare } = inputs;
    const ratio = maskedDifference(mask, learner.logp(tokens), inputs[`logp/${model}`]);
    const divergence = estimators[estimator](ratio);
    return {
      loss: weightedSum(weights, divergence),
      metrics: { [`kl/${model}`]: weightedSum(tokenShare, divergence) },
    };
  };

/** Divergence from any model whose log-probabilities the rows hold (`logpUnder`): a snapshot or a role. */
export const klTo = <const M extends string>(model: M, { estimator, average = 'sequence' }: Divergence) =>
  objective({
    id: `klTo(${model}, ${estimator}, ${average})`,
    needs: ['tokens', 'mask', 'weight', `logp/${model}`],
    prepare: (columns, limits) => averagedAndShared(columns.mask, columns.weight, average, limits),
    loss: lossOf(model, estimator),
  });

/**
 * The same, times each row's `row/distill`. On the policy's own answers the gradient of k2 is that of
 * KL(policy ‖ teacher) (arXiv:2506.02208).
 */
export const distillFrom = <const M extends string>(
  model: M,
  { estimator, average = 'sequence' }: Divergence,
) =>
  objective({
    id: `distillFrom(${model}, ${estimator}, ${average})`,
    needs: ['tokens', 'mask', 'weight', 'row/distill', `logp/${model}`],
    prepare: (columns, limits) => {
      const { mask, weight } = columns;
      const { weights, tokenShare } = averagedAndShared(mask, weight, average, limits);
      const share_RT = broadcast(columns['row/distill'], mask);
      return {
        weights: { ...weights, values: weights.values.map((w, t) => w * share_RT.values[t]) },
        tokenShare,
      };
    },
    loss: lossOf(model, estimator),
  });
