/**
 * Statistics of a list of numbers, in float64. Each throws on NaN, infinities and an empty list (except the
 * sum, which is 0).
 */
import type { Bin } from '../schema/evaluation.ts';
import { WhetstoneError } from '../common/errors.ts';
import { finite, ordered, sameLength, share, notEmpty, whole } from './inputs.ts';

export const sum = (xs: ArrayLike<number>): number => {
  finite(xs, 'values');
  // Neumaier's compensated sum: the error does not grow with the number of terms.
  let total = 0;
  let lost = 0;
  for (let i = 0; i < xs.length; i++) {
    const next = total + xs[i];
    lost += Math.abs(total) >= Math.abs(xs[i]) ? total - next + xs[i] : xs[i] - next + total;
    total = next;
  }
  return total + lost;
};

export const mean = (xs: ArrayLike<number>): number => {
  notEmpty(xs, 'values');
  return sum(xs) / xs.length;
};

/** Σ wᵢ xᵢ ÷ Σ wᵢ; throws for weights that are not finite and more than 0. */
export const weightedMean = (xs: ArrayLike<number>, weights: ArrayLike<number>): number => {
  notEmpty(xs, 'values');
  finite(xs, 'values');
  sameLength(xs, weights, 'values and weights');
  let [total, weighted] = [0, 0];
  for (let i = 0; i < xs.length; i++) {
    if (!(weights[i] > 0 && Number.isFinite(weights[i])))
      throw new WhetstoneError('invalid-input', 'Weights are finite and more than 0.');
    total += weights[i];
    weighted += weights[i] * xs[i];
  }
  return weighted / total;
};

/** Sample variance divides by n − 1 (NaN of a single number), population variance by n. */
export const variance = (xs: ArrayLike<number>, kind: 'sample' | 'population' = 'sample'): number => {
  const center = mean(xs);
  return (
    sum(Float64Array.from(xs, (x) => (x - center) ** 2)) / (kind === 'sample' ? xs.length - 1 : xs.length)
  );
};

export const deviation = (xs: ArrayLike<number>, kind: 'sample' | 'population' = 'sample'): number =>
  Math.sqrt(variance(xs, kind));

/**
 * Quantile q in 0–1 by linear interpolation between order statistics (Hyndman and Fan 1996, type 7, the
 * default of R and NumPy).
 */
export const quantile = (xs: ArrayLike<number>, q: number): number =>
  quantileOfSorted(Float64Array.from(xs).sort(), q);

export const quantileOfSorted = (sorted: Float64Array, q: number): number => {
  notEmpty(sorted, 'values');
  finite(sorted, 'values');
  share(q, 'quantile');
  const at = (sorted.length - 1) * Math.min(1, Math.max(0, q));
  const below = Math.floor(at);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
};

/**
 * Equal-width bin edges that span all values: `bins` + 1 numbers, from 0 to 1 without values. One value (or
 * equal values) gets a range of width 1 around it.
 */
export const binEdges = (xs: ArrayLike<number>, bins: number): number[] => {
  finite(xs, 'values');
  whole(bins, 'number of bins', 1);
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < xs.length; i++) {
    low = Math.min(low, xs[i]);
    high = Math.max(high, xs[i]);
  }
  if (xs.length === 0) [low, high] = [0, 1];
  if (low === high) [low, high] = [low - 0.5, high + 0.5];
  return Array.from({ length: bins + 1 }, (_, i) => (i === bins ? high : low + ((high - low) * i) / bins));
};

/**
 * Index of the bin that holds x: bins are closed below and open above, the last one closed on both sides; −1
 * outside. Edges must rise.
 */
export const binOf = (edges: readonly number[], x: number): number => {
  ordered([x], 'values to be put into bins');
  const bins = edges.length - 1;
  if (!(x >= edges[0] && x <= edges[bins])) return -1;
  let low = 0;
  let high = bins;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (x >= edges[middle]) low = middle;
    else high = middle;
  }
  return low;
};

export const histogram = (xs: ArrayLike<number>, bins = 20, edges = binEdges(xs, bins)): Bin[] => {
  finite(edges, 'edges of bins');
  if (edges.length < 2) whole(edges.length - 1, 'number of bins', 1);
  const counts = new Array<number>(edges.length - 1).fill(0);
  for (let i = 0; i < xs.length; i++) {
    const at = binOf(edges, xs[i]);
    if (at >= 0) counts[at]++;
  }
  return counts.map((n, i) => ({ from: edges[i], to: edges[i + 1], n }));
};
