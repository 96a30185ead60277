import { add, exp, greater, less, and, maximum, minimum, mul, neg, cast, scalar, softplus, sub, sum as total, reshape, slice, stopGradient, square, type Expr } from '../../tensor/index.ts';
import type { PerRow, PerToken } from '../columns.ts';
import { objective } from '../objective.ts';
import { maskedSums } from '../rows.ts';
import { averagingWeights, type Average } from './averages.ts';

const dot = (weights: Expr, values: Expr): Expr => total(mul(weights, values));
const share = (condition: Expr): Expr => cast(condition, 'float32');

/** Negative log-likelihood of the trained tokens. */
export const likelihood = ({ average }: { readonly average: Average }) => objective({
  id: `likelihood(${average})`,
  needs: ['tokens', 'mask', 'weight'],
  prepare: ({ mask, weight }, limits) => ({ w: averagingWeights(mask, weight, average, limits) }),
  loss: ({ tokens, w }, learner) => ({ loss: neg(dot(w, learner.logp(tokens))) }),
});

/**
 * Policy gradient with the probability ratio clipped to [1 − low, 1 + high] where that makes the objective smaller (arXiv:1707.06347, eq. 7;
 * unequal bounds: arXiv:2503.14476). Reports the shares of tokens clipped on each side and the policy's entropy.
 */
export const clippedSurrogate = ({ low, high, average = 'sequence' }: { readonly low: number; readonly high: number; readonly average?: Average }) => objective({
  id: `clippedSurrogate(${low}, ${high}, ${average})`,
  needs: ['tokens', 'mask', 'weight', 'behaviorLogp', 'advantage'],
  prepare: ({ mask, weight }, limits) => ({ w: averagingWeights(mask, weight, average, limits), each: averagingWeights(mask, weight, 'token', limits) }),
  loss: ({ tokens, behaviorLogp, advantage, w, each }, learner) => {
    const ratio = exp(sub(learner.logp(tokens), behaviorLogp));
    const clipped = minimum(maximum(ratio, scalar(1 - low)), scalar(1 + high));
    const surrogate = minimum(mul(ratio, advantage), mul(clipped, advantage));
    return {
      loss: neg(dot(w, surrogate)),
      metrics: {
        'clip_ratio/low': dot(each, share(and(less(ratio, scalar(1 - low)), less(advantage, scalar(0))))),
        'clip_ratio/high': dot(each, share(and(greater(ratio, scalar(1 + high)), greater(advantage, scalar(0))))),
        entropy: dot(each, stopGradient(learner.entropy(tokens))),
      },
    };
  },
});

/** Estimators of KL(policy ‖ reference) from one token, with d = log π − log π_ref: d, d²⁄2, e^−d − 1 + d (Schulman 2020, "Approximating KL divergence"). */
export type Estimator = 'k1' | 'k2' | 'k3';
const estimators: { readonly [E in Estimator]: (d: Expr) => Expr } = {
  k1: (d) => d,
  k2: (d) => mul(square(d), scalar(0.5)),
  k3: (d) => add(sub(exp(neg(d)), scalar(1)), d),
};

/** Divergence from the initial policy as a loss. On-policy, k3's gradient is that of KL(reference ‖ policy), and k1's is zero on average. */
export const klToReference = ({ estimator, average = 'sequence' }: { readonly estimator: Estimator; readonly average?: Average }) => objective({
  id: `klToReference(${estimator}, ${average})`,
  needs: ['tokens', 'mask', 'weight', 'logp/initial'],
  prepare: ({ mask, weight }, limits) => ({ w: averagingWeights(mask, weight, average, limits), each: averagingWeights(mask, weight, 'token', limits) }),
  loss: ({ tokens, w, each, 'logp/initial': reference }, learner) => {
    const divergence = estimators[estimator](sub(learner.logp(tokens), reference));
    return { loss: dot(w, divergence), metrics: { kl: dot(each, divergence) } };
  },
});

/** Rewards the policy for staying undecided: minus the mean entropy of the trained tokens. */
export const entropyBonus = objective({
  id: 'entropyBonus',
  needs: ['tokens', 'mask', 'weight'],
  prepare: ({ mask, weight }, limits) => ({ w: averagingWeights(mask, weight, 'token', limits) }),
  loss: ({ tokens, w }, learner) => ({ loss: neg(dot(w, learner.entropy(tokens))) }),
});

/** Of rows in twos: the value of the first (chosen) and of the second (rejected). */
const inPairs = (values_R: Expr): { chosen: Expr; rejected: Expr } => {
  const pairs = values_R.type.shape[0] / 2;
  const values = reshape(values_R, [pairs, 2]);
  return { chosen: reshape(slice(values, 1, 0, 1), [pairs]), rejected: reshape(slice(values, 1, 1, 2), [pairs]) };
};

/** Per row, the pair's share of the batch; both rows carry the same. */
const pairWeights = (weight: PerRow): Float64Array => {
  const rows = weight.reduce((a, b) => a + b, 0);
  return weight.map((w) => (2 * w) / rows);
};

/** −[s·log σ(m) + (1 − s)·log σ(−m)] summed with weights, and the shares that a person reads. */
const logistic = (margin: Expr, sure: Expr, w: Expr) => ({
  loss: dot(w, add(mul(sure, softplus(neg(margin))), mul(sub(scalar(1), sure), softplus(margin)))),
  metrics: { 'rewards/margins': dot(w, margin), 'rewards/accuracies': dot(w, share(greater(margin, scalar(0)))) },
});

/** Log-probability of each row's answer under the initial policy: the constant part of a DPO margin. */
const referenceSums = (logp: PerToken, mask: PerToken<Uint8Array>): Float64Array => maskedSums(logp, mask);

/**
 * Direct preference optimization: logistic regression on β × the difference of log-ratios (arXiv:2305.18290, eq. 7).
 * `smoothing` is the assumed share of flipped labels (arXiv:2305.18290, appendix; cDPO).
 */
export const logisticMargin = ({ beta, smoothing = 0 }: { readonly beta: number; readonly smoothing?: number }) => objective({
  id: `logisticMargin(${beta})`,
  needs: ['tokens', 'mask', 'pairId', 'chosen', 'agreement', 'weight', 'logp/initial'],
  unit: 2,
  prepare: ({ mask, weight, agreement, 'logp/initial': reference }) => ({
    w: pairWeights(weight),
    sure: agreement.map((a) => a * (1 - smoothing) + (1 - a) * smoothing),
    reference: referenceSums(reference, mask),
    answer: { ...mask, values: Float32Array.from(mask.values) },
  }),
  loss: ({ tokens, answer, w, sure, reference }, learner) => {
    const gained_R = mul(scalar(beta), sub(total(mul(answer, learner.logp(tokens)), [1]), reference));
    const { chosen, rejected } = inPairs(gained_R);
    const weights = inPairs(w).chosen;
    const { loss, metrics } = logistic(sub(chosen, rejected), inPairs(sure).chosen, weights);
    return { loss, metrics: { ...metrics, 'rewards/chosen': dot(weights, chosen), 'rewards/rejected': dot(weights, rejected) } };
  },
});

/** Reward model on comparisons: −log σ(r_chosen − r_rejected); a tie counts half for each side (Bradley & Terry 1952; arXiv:2203.02155, eq. 1). */
export const bradleyTerry = objective({
  id: 'bradleyTerry',
  needs: ['tokens', 'pairId', 'chosen', 'agreement', 'weight'],
  unit: 2,
  prepare: ({ weight, agreement }) => ({ w: pairWeights(weight), sure: agreement }),
  loss: ({ tokens, w, sure }, learner) => {
    const { chosen, rejected } = inPairs(learner.score(tokens));
    return logistic(sub(chosen, rejected), inPairs(sure).chosen, inPairs(w).chosen);
  },
});
