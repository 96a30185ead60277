import {
  add,
  exp,
  greater,
  less,
  and,
  maximum,
  minimum,
  mul,
  neg,
  scalar,
  sub,
  stopGradient,
  square,
  type Expr,
} from '../../tensor/index.ts';
import { objective } from '../kernel/objective.ts';
import { averagingWeights, type Average } from './averages.ts';
import { comparison, logisticLoss, pairWeights, sideOf } from './pairing.ts';
import { apart, dot, share } from './sums.ts';

/** Negative log-likelihood of the trained tokens. */
export const likelihood = ({ average }: { readonly average: Average }) =>
  objective({
    id: `likelihood(${average})`,
    needs: ['tokens', 'mask', 'weight'],
    prepare: ({ mask, weight }, limits) => ({ w: averagingWeights(mask, weight, average, limits) }),
    loss: ({ tokens, w }, learner) => ({ loss: neg(dot(w, learner.logp(tokens))) }),
  });

/**
 * Policy gradient with the probability ratio clipped to [1 − low, 1 + high] where that makes the objective
 * smaller (arXiv:1707.06347, eq. 7; unequal bounds: arXiv:2503.14476). Reports the shares of tokens clipped
 * on each side and the policy's entropy.
 */
export const clippedSurrogate = ({
  low,
  high,
  average = 'sequence',
}: {
  readonly low: number;
  readonly high: number;
  readonly average?: Average;
}) =>
  objective({
    id: `clippedSurrogate(${low}, ${high}, ${average})`,
    needs: ['tokens', 'mask', 'weight', 'behaviorLogp', 'advantage'],
    prepare: ({ mask, weight }, limits) => ({
      w: averagingWeights(mask, weight, average, limits),
      each: averagingWeights(mask, weight, 'token', limits),
    }),
    loss: ({ tokens, mask, behaviorLogp, advantage, w, each }, learner) => {
      const ratio = exp(apart(mask, learner.logp(tokens), behaviorLogp));
      const clipped = minimum(maximum(ratio, scalar(1 - low)), scalar(1 + high));
      const surrogate = minimum(mul(ratio, advantage), mul(clipped, advantage));
      return {
        loss: neg(dot(w, surrogate)),
        metrics: {
          'clip_ratio/low': dot(each, share(and(less(ratio, scalar(1 - low)), less(advantage, scalar(0))))),
          'clip_ratio/high': dot(
            each,
            share(and(greater(ratio, scalar(1 + high)), greater(advantage, scalar(0)))),
          ),
          entropy: dot(each, stopGradient(learner.entropy(tokens))),
        },
      };
    },
  });

/**
 * Estimators of KL(policy ‖ reference) from one token, with d = log π − log π_ref: d, d²⁄2, e^−d − 1 + d
 * (Schulman 2020, "Approximating KL divergence").
 */
export type Estimator = 'k1' | 'k2' | 'k3';
const estimators: { readonly [E in Estimator]: (d: Expr) => Expr } = {
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
    prepare: ({ mask, weight }, limits) => ({
      w: averagingWeights(mask, weight, average, limits),
      each: averagingWeights(mask, weight, 'token', limits),
    }),
    loss: ({ tokens, mask, w, each, 'logp/initial': reference }, learner) => {
      const divergence = estimators[estimator](apart(mask, learner.logp(tokens), reference));
      return { loss: dot(w, divergence), metrics: { kl: dot(each, divergence) } };
    },
  });

/**
 * Rewards the policy for staying undecided: minus the mean entropy of the trained tokens, times the weight
 * that controllers set for `entropy`.
 */
export const entropyBonus = objective({
  id: 'entropyBonus',
  needs: ['tokens', 'mask', 'weight'],
  prepare: ({ mask, weight }, limits) => {
    const { values, ...rows } = averagingWeights(mask, weight, 'token', limits);
    const share = limits.weights?.entropy ?? 1;
    return { w: { ...rows, values: share === 1 ? values : values.map((w) => w * share) } };
  },
  loss: ({ tokens, w }, learner) => ({ loss: neg(dot(w, learner.entropy(tokens))) }),
});

/**
 * Reward model on comparisons: −log σ(r_chosen − r_rejected); a tie counts half for each side (Bradley &
 * Terry 1952; arXiv:2203.02155, eq. 1).
 */
export const bradleyTerry = objective({
  id: 'bradleyTerry',
  needs: ['tokens', 'pairId', 'chosen', 'agreement', 'weight'],
  unit: 2,
  prepare: ({ weight, agreement }) => ({ w: pairWeights(weight), sure: agreement }),
  loss: ({ tokens, w, sure }, learner) => {
    const score_R = learner.score(tokens);
    return comparison(sideOf(score_R, 0), sideOf(score_R, 1), {
      loss: logisticLoss(),
      sure: sideOf(sure, 0),
      w: sideOf(w, 0),
    });
  },
});
