/** Mixtures of two Weibull distributions, fitted to positive numbers. */

export interface Weibull {
  /** f(x) = (shape ∕ scale) (x ∕ scale)^(shape − 1) exp(−(x ∕ scale)^shape). */
  readonly shape: number;
  readonly scale: number;
}
export interface WeibullMixture {
  readonly low: Weibull;
  readonly high: Weibull;
  /** Weight of the high component, 0–1. */
  readonly share: number;
}

const SHAPES: readonly [number, number] = [0.05, 100];
/** Most rounds, and the change of the chances at which they end. */
const ROUNDS = 25;
const SETTLED = 1e-3;
/** Fewest numbers that two components are fitted to. */
const LEAST = 4;

const logDensity = ({ shape, scale }: Weibull, x: number): number => {
  const ratio = Math.log(x / scale);
  return Math.log(shape / scale) + (shape - 1) * ratio - Math.exp(shape * ratio);
};

/**
 * Weighted maximum likelihood: the shape solves Σw x^k ln x ∕ Σw x^k − 1 ∕ k = Σw ln x ∕ Σw, whose left side
 * rises with k, by Newton's steps of at most a factor 3 from `start`; scale = (Σw x^k ∕ Σw)^(1 ∕ k). Shapes are
 * bounded to 0.05–100.
 */
export const weibullFit = (values: readonly number[], weights: readonly number[], start = 1): Weibull => {
  const logs = values.map(Math.log);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const meanLog = logs.reduce((sum, log, i) => sum + weights[i] * log, 0) / total;
  const most = Math.max(...logs);
  const moments = (shape: number): readonly [sum: number, first: number, second: number] => {
    let [sum, first, second] = [0, 0, 0];
    for (let i = 0; i < logs.length; i++) {
      const term = weights[i] * Math.exp(shape * (logs[i] - most));
      sum += term;
      first += term * logs[i];
      second += term * logs[i] * logs[i];
    }
    return [sum, first / sum, second / sum];
  };
  let shape = start;
  for (let step = 0; step < 60; step++) {
    const [, first, second] = moments(shape);
    const slope = second - first * first + 1 / (shape * shape);
    const next = shape - (first - 1 / shape - meanLog) / slope;
    const bounded = Math.min(3 * shape, Math.max(shape / 3, next), SHAPES[1]);
    const moved = Math.max(SHAPES[0], bounded) - shape;
    shape += moved;
    if (Math.abs(moved) < 1e-6 * shape) break;
  }
  return { shape, scale: Math.exp(most + Math.log(moments(shape)[0] / total) / shape) };
};

const medianOf = ({ shape, scale }: Weibull): number => scale * Math.log(2) ** (1 / shape);

/** Probability that x comes from the high component. */
export const highChance = ({ low, high, share }: WeibullMixture, x: number): number => {
  const odds = Math.log(1 - share) + logDensity(low, x) - Math.log(share) - logDensity(high, x);
  return 1 / (1 + Math.exp(odds));
};

/**
 * Two components by at most 25 rounds of expectation–maximization from the halves below and above the median;
 * the high one has the larger median. Null for fewer than four distinct numbers, or if a component vanishes.
 */
export const weibullMixture = (values: readonly number[]): WeibullMixture | null => {
  if (new Set(values).size < LEAST) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  let chances: number[] = values.map((x) => (x >= median ? 0.9 : 0.1));
  let found: WeibullMixture | null = null;
  for (let round = 0; round < ROUNDS; round++) {
    const share = chances.reduce((sum, chance) => sum + chance, 0) / values.length;
    if (!(share > 1e-3 && share < 1 - 1e-3)) return null;
    const others = chances.map((chance) => 1 - chance);
    const fitted: WeibullMixture = {
      low: weibullFit(values, others, found?.low.shape),
      high: weibullFit(values, chances, found?.high.shape),
      share,
    };
    const next = values.map((x) => highChance(fitted, x));
    if (!next.every(Number.isFinite)) return null;
    const moved = Math.max(...next.map((chance, at) => Math.abs(chance - chances[at])));
    [found, chances] = [fitted, next];
    if (moved < SETTLED) break;
  }
  if (!found || medianOf(found.high) >= medianOf(found.low)) return found;
  return { low: found.high, high: found.low, share: 1 - found.share };
};
