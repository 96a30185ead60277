import { objective } from '../../kernel/objective.ts';
import { type Average, averagedAndShared } from '../math/averages.ts';
import { maskedDifference, weightedSum } from '../math/expressions.ts';
import { type Estimator, estimators } from './kl-to-reference.ts';

/** Divergence from the policy before this batch's updates (`logp/policy`), on the rows of the batch. */
export const klToPrevious = ({
  estimator,
  average = 'token',
}: {
  readonly estimator: Estimator;
  readonly average?: Average;
}) =>
  objective({
    id: `klToPrevious(${estimator}, ${average})`,
    needs: ['tokens', 'mask', 'weight', 'logp/policy'],
    prepare: ({ mask, weight }, limits) => averagedAndShared(mask, weight, average, limits),
    loss: ({ tokens, mask, weights, 'logp/policy': previous }, learner) => ({
      loss: weightedSum(
        weights,
        estimators[estimator](maskedDifference(mask, learner.logp(tokens), previous)),
      ),
    }),
  });
