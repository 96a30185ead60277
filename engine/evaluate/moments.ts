/** Plain statistics of a list of numbers, in float64. Where a value is not defined (too few numbers) it is NaN. */

export const sum = (xs: ArrayLike<number>): number => {
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

export const mean = (xs: ArrayLike<number>): number => sum(xs) / xs.length;

/** Sample variance divides by n − 1, population variance by n. */
export const variance = (xs: ArrayLike<number>, kind: 'sample' | 'population' = 'sample'): number => {
  const center = mean(xs);
  return sum(Float64Array.from(xs, (x) => (x - center) ** 2)) / (kind === 'sample' ? xs.length - 1 : xs.length);
};

export const deviation = (xs: ArrayLike<number>, kind: 'sample' | 'population' = 'sample'): number => Math.sqrt(variance(xs, kind));

/** Quantile q in 0–1 by linear interpolation between order statistics (Hyndman and Fan 1996, type 7, the default of R and NumPy). */
export const quantile = (xs: ArrayLike<number>, q: number): number => quantileOfSorted(Float64Array.from(xs).sort(), q);

export const quantileOfSorted = (sorted: Float64Array, q: number): number => {
  if (sorted.length === 0) return Number.NaN;
  const at = (sorted.length - 1) * Math.min(1, Math.max(0, q));
  const below = Math.floor(at);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
};

export interface Bin { readonly from: number; readonly to: number; readonly n: number }

/** Equal-width bin edges that span all values: `bins` + 1 numbers. One value (or equal values) gets a range of width 1 around it. */
export const binEdges = (xs: ArrayLike<number>, bins: number): number[] => {
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

/** Index of the bin that holds x: bins are closed below and open above, the last one closed on both sides; −1 outside. */
export const binOf = (edges: readonly number[], x: number): number => {
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
  const counts = new Array<number>(edges.length - 1).fill(0);
  for (let i = 0; i < xs.length; i++) {
    const at = binOf(edges, xs[i]);
    if (at >= 0) counts[at]++;
  }
  return counts.map((n, i) => ({ from: edges[i], to: edges[i + 1], n }));
};
