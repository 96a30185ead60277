import { WhetstoneError } from '../common/errors.ts';
import { stream } from '../random/random.ts';
import type { MantelTest } from '../schema/coverage.ts';
import { finite, sameLength, whole } from './inputs.ts';

export interface MantelOptions {
  readonly seed?: number;
  /** Orders that are drawn. */
  readonly permutations?: number;
  /** The group of each item. */
  readonly groups?: ArrayLike<number>;
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

/** Pairs of items that are compared: all, or those of one group. */
interface Pairs {
  readonly first: Uint32Array;
  readonly second: Uint32Array;
}
const pairsOf = (n: number, groups?: ArrayLike<number>): Pairs => {
  const found: [number, number][] = [];
  for (let i = 0; i < n; i++)
    for (let j = 0; j < i; j++) if (!groups || groups[i] === groups[j]) found.push([i, j]);
  return {
    first: Uint32Array.from(found, ([i]) => i),
    second: Uint32Array.from(found, ([, j]) => j),
  };
};

/** The distances [n × n] less the mean of the pairs', over their norm; null if those of all pairs are alike. */
const standardized = (
  matrix: ArrayLike<number>,
  n: number,
  { first, second }: Pairs,
): Float64Array | null => {
  const values = Array.from(first, (i, at) => matrix[i * n + second[at]]);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const norm = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const size = values.reduce((sum, value) => sum + value ** 2, 0);
  if (!(norm > 1e-24 * size)) return null;
  return Float64Array.from(matrix, (value) => (value - mean) / Math.sqrt(norm));
};

/** Puts the items of each group in another order; without groups all of them. */
const shuffled = (order: Uint32Array, members: readonly Uint32Array[], seed: number, draw: number): void => {
  const random = stream(seed, 'mantel', draw);
  for (const own of members)
    for (let at = own.length - 1; at > 0; at--) {
      const other = random.int(at + 1);
      [order[own[at]], order[own[other]]] = [order[own[other]], order[own[at]]];
    }
};

/**
 * Mantel's test (1967, "The detection of disease clustering and a generalized regression approach", Cancer
 * Research 27): Pearson's correlation r of two kinds of distances of the same n items, each given as a
 * symmetric matrix [n × n]. One-sided: p = (1 + hits) / (1 + permutations), where a hit is a seeded order of
 * the items in one matrix that gives at least r. With `groups` [n] only pairs of one group are compared, and
 * items change places within theirs alone. Null for fewer than 3 items, and where one kind of distances is
 * constant. Throws `invalid-input` for matrices that are not square, `numeric` for ones that are not finite.
 */
export const mantelTest = (
  first: ArrayLike<number>,
  second: ArrayLike<number>,
  { seed = 0, permutations = 999, groups }: MantelOptions = {},
): MantelTest | null => {
  sameLength(first, second, 'distances of two kinds');
  finite(first, 'distances');
  finite(second, 'distances');
  whole(permutations, 'number of permutations', 1);
  const n = Math.round(Math.sqrt(first.length));
  if (n * n !== first.length)
    throw new WhetstoneError('invalid-input', `${first.length} distances are no square matrix.`);
  if (groups && groups.length !== n)
    throw new WhetstoneError('invalid-input', `${n} items have ${groups.length} groups.`);
  if (n < 3) return null;
  const pairs = pairsOf(n, groups);
  const [a, b] = [standardized(first, n, pairs), standardized(second, n, pairs)];
  if (!a || !b) return null;
  const items = Array.from({ length: n }, (_none, at) => at);
  const members = [...Map.groupBy(items, (at) => groups?.[at] ?? 0).values()].map((own) =>
    Uint32Array.from(own),
  );
  const order = Uint32Array.from(items);
  const correlation = (): number => {
    let sum = 0;
    for (let at = 0; at < pairs.first.length; at++) {
      const [i, j] = [pairs.first[at], pairs.second[at]];
      sum += a[i * n + j] * b[order[i] * n + order[j]];
    }
    return sum;
  };
  const r = correlation();
  let hits = 0;
  for (let draw = 0; draw < permutations; draw++) {
    shuffled(order, members, seed, draw);
    if (correlation() >= r - TOLERANCE) hits++;
  }
  return { n, r: Math.max(-1, Math.min(1, r)), p: (1 + hits) / (1 + permutations) };
};
