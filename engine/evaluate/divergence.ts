import { finite, notNegative, sameLength, notEmpty } from './inputs.ts';

/** Checks that a log-ratio is finite. */
const ratio = (logRatio: number): number => {
  finite([logRatio], 'log-ratios');
  return logRatio;
};

/**
 * Estimators of KL(q ‖ p) from samples of q, each a function of log q(x) − log p(x) (Schulman 2020,
 * "Approximating KL divergence"). k1 is unbiased with high variance; k2 is biased with low variance; k3 is
 * unbiased, never negative, with low variance.
 */
export const klEstimators = {
  k1: (logRatio: number): number => ratio(logRatio),
  k2: (logRatio: number): number => ratio(logRatio) ** 2 / 2,
  k3: (logRatio: number): number => Math.expm1(-ratio(logRatio)) + logRatio,
} as const;
export type KlEstimator = keyof typeof klEstimators;

/**
 * KL(q ‖ p) of two distributions over the same outcomes, in nats; infinite if q has mass where p has none.
 */
export const klDivergence = (q: ArrayLike<number>, p: ArrayLike<number>): number => {
  sameLength(q, p, 'chances of two distributions');
  notEmpty(q, 'chances');
  notNegative(q, 'chances');
  notNegative(p, 'chances');
  let total = 0;
  for (let i = 0; i < q.length; i++) if (q[i] > 0) total += q[i] * Math.log(q[i] / p[i]);
  return total;
};

/** Entropy in nats. */
export const entropy = (p: ArrayLike<number>): number => {
  notEmpty(p, 'chances');
  notNegative(p, 'chances');
  let total = 0;
  for (let i = 0; i < p.length; i++) if (p[i] > 0) total -= p[i] * Math.log(p[i]);
  return total;
};
