/**
 * Closed-form optima of methods on problems with enumerable outcomes: computed in float64, without training.
 */
import { WhetstoneError } from '../../common/errors.ts';

/** An enumerable problem: each outcome's reward, and its probability under the initial policy. */
export interface Bandit {
  readonly rewards: ArrayLike<number>;
  readonly reference: ArrayLike<number>;
}

/**
 * The maximised function of a method's fixed point: reward ÷ `perDeviation` × the reward's deviation under
 * the policy, minus weight × divergence.
 */
export interface FixedPoint {
  readonly divergence: 'policy-to-reference' | 'reference-to-policy' | 'squared-log-ratio';
  readonly weight: number;
  /**
   * If set, advantages are divided by this many population deviations under the policy; otherwise rewards
   * are used unscaled.
   */
  readonly perDeviation?: number;
  /**
   * Value of an outcome: its reward, the reward clipped to 0–1, or its probability of beating an outcome of
   * the initial policy (ties count half).
   */
  readonly earns?: 'reward' | 'correctness' | 'wins';
}
export interface Enumerable {
  fixedPoint(of: FixedPoint): Float64Array;
}

export const enumerable = ({ rewards, reference }: Bandit): Enumerable => ({
  fixedPoint: ({ divergence, weight, perDeviation, earns = 'reward' }) => {
    const solve = {
      'policy-to-reference': tilted,
      'reference-to-policy': hyperbolic,
      'squared-log-ratio': regressed,
    }[divergence];
    if (earns !== 'reward')
      return enumerable({ rewards: earned[earns](rewards, reference), reference }).fixedPoint({
        divergence,
        weight,
        perDeviation,
      });
    if (weight === 0) return greedy(rewards, reference);
    if (perDeviation === undefined) return solve(rewards, reference, weight);
    // dividing the reward by s multiplies the weight by s, and s depends on the solution: find the only root
    // of a monotone equation
    const scale = bisect(
      (s) => perDeviation * deviation(rewards, solve(rewards, reference, weight * s)) - s,
      1e-12,
      spread(rewards) * perDeviation,
    );
    return solve(rewards, reference, weight * scale);
  },
});

/** π ∝ π_ref·exp(r ⁄ β): the maximum of E[r] − β·KL(π ‖ π_ref). */
const tilted = (rewards: ArrayLike<number>, reference: ArrayLike<number>, beta: number): Float64Array => {
  const top = Math.max(...Array.from(rewards));
  return normalized(Float64Array.from(reference, (p, i) => p * Math.exp((rewards[i] - top) / beta)));
};

/** π = β·π_ref ⁄ (λ − r) with λ such that it sums to 1: the maximum of E[r] − β·KL(π_ref ‖ π). */
const hyperbolic = (rewards: ArrayLike<number>, reference: ArrayLike<number>, beta: number): Float64Array => {
  const top = Math.max(...Array.from(rewards));
  const at = (lambda: number) => Float64Array.from(reference, (p, i) => (beta * p) / (lambda - rewards[i]));
  // the sum falls from infinity at the top reward to at most 1 at top + β
  return normalized(
    at(
      bisect(
        (lambda) => at(lambda).reduce((a, b) => a + b, 0) - 1,
        top + 1e-15 * Math.max(1, Math.abs(top)),
        top + beta,
      ),
    ),
  );
};

/**
 * The minimum over policies of E_ref[½·(β·log π/π_ref − A)²], A = r − E_ref[r]. A log-ratio of A/β everywhere
 * is no policy (its sum is above 1), so the gradient over logits vanishes where β·x + κ·eˣ = A, x = log
 * π/π_ref, with the κ = β·KL(π_ref ‖ π) that makes it one: π_ref·exp(A/β) to first order.
 */
const regressed = (rewards: ArrayLike<number>, reference: ArrayLike<number>, beta: number): Float64Array => {
  const mean = Array.from(rewards).reduce((sum, r, i) => sum + reference[i] * r, 0);
  const advantages = Array.from(rewards, (r) => r - mean);
  const top = Math.max(...advantages);
  if (top <= 0) return normalized(Float64Array.from(reference));
  const ratio = (advantage: number, kappa: number) =>
    Math.exp(
      bisect(
        (x) => advantage - beta * x - kappa * Math.exp(x),
        Math.min((advantage - kappa) / beta, 0),
        advantage / beta,
      ),
    );
  const at = (kappa: number) => Float64Array.from(reference, (p, i) => p * ratio(advantages[i], kappa));
  return normalized(at(bisect((kappa) => at(kappa).reduce((a, b) => a + b, 0) - 1, 0, top)));
};

const greedy = (rewards: ArrayLike<number>, reference: ArrayLike<number>): Float64Array => {
  const top = Math.max(...Array.from(rewards));
  return normalized(Float64Array.from(reference, (p, i) => (rewards[i] === top ? p : 0)));
};

/** For each outcome, the probability that it beats one drawn from the reference. */
const wins = (rewards: ArrayLike<number>, reference: ArrayLike<number>): Float64Array =>
  Float64Array.from(rewards, (own) =>
    Array.from(rewards).reduce(
      (sum, other, i) => sum + reference[i] * (own > other ? 1 : own === other ? 0.5 : 0),
      0,
    ),
  );

const earned = {
  wins,
  correctness: (rewards: ArrayLike<number>): Float64Array =>
    Float64Array.from(rewards, (r) => Math.min(1, Math.max(0, r))),
};

const normalized = (p: Float64Array): Float64Array => {
  const sum = p.reduce((a, b) => a + b, 0);
  return p.map((x) => x / sum);
};

const deviation = (rewards: ArrayLike<number>, policy: Float64Array): number => {
  const mean = policy.reduce((a, p, i) => a + p * rewards[i], 0);
  return Math.sqrt(policy.reduce((a, p, i) => a + p * (rewards[i] - mean) ** 2, 0));
};

const spread = (rewards: ArrayLike<number>): number =>
  Math.max(...Array.from(rewards)) - Math.min(...Array.from(rewards));

/** The root of a decreasing function between two points, to the last bit. */
const bisect = (f: (x: number) => number, low: number, high: number): number => {
  if (f(low) < 0 || f(high) > 1e-9) throw new WhetstoneError('numeric', `no root between ${low} and ${high}`);
  for (let i = 0; i < 200 && high > low; i++) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (f(middle) > 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
};
