import { WhetstoneError } from '../common/errors.ts';
import { stream } from '../random/random.ts';
import type { MantelTest } from '../schema/coverage.ts';
import { finite, sameLength, whole } from './inputs.ts';

export interface MantelOptions {
  readonly seed?: number;
  /** Orders that are drawn. */
  readonly permutations?: number;
}

/** Rounding errors of sums do not make a difference. */
const TOLERANCE = 1e-9;

/**
 * Euclidean distances of points of one width, [n × n]. Throws `invalid-input` for points of several widths,
 * `numeric` for coordinates that are not finite.
 */
export const distancesOf = (points: readonly ArrayLike<number>[]): Float64Array => {
  for (const point of points) {
    sameLength(points[0], point, 'coordinates of two points');
    finite(point, 'coordinates');
  }
  const n = points.length;
  const out = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < i; j++) {
      let square = 0;
      for (let f = 0; f < points[i].length; f++) square += (points[i][f] - points[j][f]) ** 2;
      out[i * n + j] = Math.sqrt(square);
      out[j * n + i] = out[i * n + j];
    }
  return out;
};

/** The n(n − 1)/2 distances below the diagonal, less their mean and over their norm; null if all are alike. */
const standardized = (matrix: ArrayLike<number>, n: number): Float64Array | null => {
  const out = new Float64Array(n * n);
  let mean = 0;
  for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) mean += matrix[i * n + j];
  mean /= (n * (n - 1)) / 2;
  let [norm, size] = [0, 0];
  for (let i = 0; i < n; i++)
    for (let j = 0; j < i; j++) {
      const value = matrix[i * n + j];
      out[i * n + j] = value - mean;
      out[j * n + i] = value - mean;
      norm += (value - mean) ** 2;
      size += value ** 2;
    }
  return norm <= 1e-24 * size ? null : out.map((value) => value / Math.sqrt(norm));
};

/**
 * Mantel's test (1967, "The detection of disease clustering and a generalized regression approach", Cancer
 * Research 27): Pearson's correlation r of two kinds of distances of the same n items, each given as a
 * symmetric matrix [n × n]. One-sided: p = (1 + hits) / (1 + permutations), where a hit is a seeded order of
 * the items in one matrix that gives at least r. Null for fewer than 3 items, and where one kind of distances
 * is constant. Throws `invalid-input` for matrices that are not square, `numeric` for ones that are not finite.
 */
export const mantelTest = (
  first: ArrayLike<number>,
  second: ArrayLike<number>,
  { seed = 0, permutations = 999 }: MantelOptions = {},
): MantelTest | null => {
  sameLength(first, second, 'distances of two kinds');
  finite(first, 'distances');
  finite(second, 'distances');
  whole(permutations, 'number of permutations', 1);
  const n = Math.round(Math.sqrt(first.length));
  if (n * n !== first.length)
    throw new WhetstoneError('invalid-input', `${first.length} distances are no square matrix.`);
  if (n < 3) return null;
  const [a, b] = [standardized(first, n), standardized(second, n)];
  if (!a || !b) return null;
  const order = Uint32Array.from({ length: n }, (_none, at) => at);
  const correlation = (): number => {
    let sum = 0;
    for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) sum += a[i * n + j] * b[order[i] * n + order[j]];
    return sum;
  };
  const r = correlation();
  let hits = 0;
  for (let draw = 0; draw < permutations; draw++) {
    const random = stream(seed, 'mantel', draw);
    for (let at = n - 1; at > 0; at--) {
      const other = random.int(at + 1);
      [order[at], order[other]] = [order[other], order[at]];
    }
    if (correlation() >= r - TOLERANCE) hits++;
  }
  return { n, r: Math.max(-1, Math.min(1, r)), p: (1 + hits) / (1 + permutations) };
};
