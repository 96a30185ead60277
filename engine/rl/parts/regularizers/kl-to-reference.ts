import { type Expr, add, exp, mul, neg, scalar, square, sub } from '../../../tensor/index.ts';
import { objective } from '../../kernel/objective.ts';
import { type Average, averagedAndShared } from '../math/averages.ts';
import { maskedDifference, weightedSum } from '../math/expressions.ts';

/**
 * Estimators of KL(policy ‖ reference) from one token, with d = log π − log π_ref: d, d²⁄2, e^−d − 1 + d
 * (Schulman 2020, "Approximating KL divergence").
 */
export type Estimator = 'k1' | 'k2' | 'k3';

export const estimators: { readonly [E in Estimator]: (d: Expr) => Expr } = {
  k1: (d) => d,
  k2: (d) => mul(square(d), scalar(0.5)),
  k3: (d) => add(sub(exp(neg(d)), scalar(1)), d),
};

/**
 * Divergence from the initial policy as a loss. On-policy, k3's gradient is that of KL(reference ‖ policy),
 * and k1's is zero on average.
 */
export const klToReference = ({
  estimator,
  average = 'sequence',
}: {
  readonly estimator: Estimator;
  readonly average?: Average;
}) =>
  objective({
    id: `klToReference(${estimator}, ${average})`,
    needs: ['tokens', 'mask', 'weight', 'logp/initial'],
    prepare: ({ mask, weight }, limits) => averagedAndShared(mask, weight, average, limits),
    loss: ({ tokens, mask, weights, tokenShare, 'logp/initial': reference }, learner) => {
      const divergence = estimators[estimator](maskedDifference(mask, learner.logp(tokens), reference));
      return { loss: weightedSum(weights, divergence), metrics: { kl: weightedSum(tokenShare, divergence) } };
    },
  });
