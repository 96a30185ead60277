import { WhetstoneError } from '../common/errors.ts';
import type { Interval } from '../schema/evaluation.ts';
import { stream } from '../random/random.ts';
import type { BootstrapOptions } from './intervals.ts';
import { notNegative, whole } from './inputs.ts';
import { quantileOfSorted } from './moments.ts';

/**
 * A coefficient of agreement with its 95 % interval. `value` is null if the ratings leave it undefined: all
 * of them are one category, so that chance alone agrees always.
 */
export interface Agreement {
  readonly value: number | null;
  readonly interval: Interval | null;
  /** Items that it was computed from. */
  readonly items: number;
}

/** Largest share of replicates without a value that an interval may have. */
const UNDEFINED_SHARE = 0.5;

/**
 * Percentile bootstrap over items of a coefficient that some samples leave undefined (NaN): those replicates
 * are left out, and there is no interval if they are more than half.
 */
export const agreementOver = (
  items: number,
  coefficient: (picked: ArrayLike<number>) => number,
  { seed = 0, replicates = 2000, level = 0.95 }: BootstrapOptions = {},
): Agreement => {
  whole(items, 'number of items', 1);
  whole(replicates, 'number of replicates', 1);
  if (!(level > 0 && level < 1))
    throw new WhetstoneError('invalid-input', `The level must lie between 0 and 1, not ${level}.`);
  const value = coefficient(Array.from({ length: items }, (_, i) => i));
  if (Number.isNaN(value)) return { value: null, interval: null, items };
  const picked = new Int32Array(items);
  const found = Float64Array.from({ length: replicates }, (_, r) => {
    const draw = stream(seed, 'bootstrap', r);
    for (let i = 0; i < items; i++) picked[i] = draw.int(items);
    return coefficient(picked);
  })
    .filter((x) => !Number.isNaN(x))
    .sort();
  const interval: Interval | null =
    found.length < replicates * (1 - UNDEFINED_SHARE)
      ? null
      : [quantileOfSorted(found, (1 - level) / 2), quantileOfSorted(found, (1 + level) / 2)];
  return { value, interval, items };
};

/**
 * Checks a table of ratings and returns its kappa over chosen rows; NaN where all ratings are one category.
 */
const fleissOver = (table: readonly (readonly number[])[]): ((picked: ArrayLike<number>) => number) => {
  for (const row of table) notNegative(row, 'counts of raters');
  const raters = table[0]?.reduce((sum, n) => sum + n, 0) ?? 0;
  if (
    raters < 2 ||
    table.some((row) => row.length !== table[0].length || row.reduce((sum, n) => sum + n, 0) !== raters)
  ) {
    throw new WhetstoneError(
      'invalid-input',
      'Fleiss’ kappa needs the same number of raters, at least two, for every subject.',
    );
  }
  const agreeing = table.map(
    (row) => (row.reduce((s, n) => s + n * n, 0) - raters) / (raters * (raters - 1)),
  );
  return (picked) => {
    const shares = new Float64Array(table[0].length);
    let observed = 0;
    for (let at = 0; at < picked.length; at++) {
      observed += agreeing[picked[at]] / picked.length;
      table[picked[at]].forEach((n, category) => (shares[category] += n));
    }
    const expected = shares.reduce((sum, n) => sum + (n / (picked.length * raters)) ** 2, 0);
    return (observed - expected) / (1 - expected);
  };
};

const all = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

/**
 * Fleiss' kappa (1971): `table[subject][category]` counts raters; every subject has the same number of
 * raters, at least two. NaN if all ratings are one category.
 */
export const fleissKappa = (table: readonly (readonly number[])[]): number =>
  fleissOver(table)(all(table.length));

/** Fleiss' kappa with its interval, resampling subjects. */
export const fleissAgreement = (
  table: readonly (readonly number[])[],
  options?: BootstrapOptions,
): Agreement => agreementOver(table.length, fleissOver(table), options);

/** Disagreement of two categories: none counts all alike, the others by their distance in the order. */
export type KappaWeights = 'none' | 'linear' | 'quadratic';

const distances: { readonly [W in KappaWeights]: (a: number, b: number) => number } = {
  none: (a, b) => Number(a !== b),
  linear: (a, b) => Math.abs(a - b),
  quadratic: (a, b) => (a - b) ** 2,
};

export interface KappaOptions {
  readonly weights?: KappaWeights;
  /** The categories in their order; weights need it. By default as they appear. */
  readonly categories?: readonly string[];
}

/** Checks two raters' verdicts and returns their kappa over chosen items. */
const cohenOver = (
  a: readonly string[],
  b: readonly string[],
  { weights = 'none', categories }: KappaOptions,
): ((picked: ArrayLike<number>) => number) => {
  if (a.length !== b.length || a.length === 0)
    throw new WhetstoneError(
      'invalid-input',
      `Two raters must judge the same items (${a.length} and ${b.length} verdicts).`,
    );
  if (weights !== 'none' && !categories)
    throw new WhetstoneError('invalid-input', 'A weighted kappa needs the categories in their order.');
  const names = categories ?? [...new Set([...a, ...b])];
  const codeOf = new Map(names.map((name, code) => [name, code]));
  const codes = (list: readonly string[]) =>
    Int32Array.from(list, (verdict) => {
      const code = codeOf.get(verdict);
      if (code === undefined)
        throw new WhetstoneError('invalid-input', `'${verdict}' is none of the categories.`, {
          where: 'categories',
        });
      return code;
    });
  const [ofA, ofB] = [codes(a), codes(b)];
  const distance = distances[weights];
  return (picked) => {
    const countsA = new Float64Array(names.length);
    const countsB = new Float64Array(names.length);
    let observed = 0;
    for (let at = 0; at < picked.length; at++) {
      const [x, y] = [ofA[picked[at]], ofB[picked[at]]];
      countsA[x]++;
      countsB[y]++;
      observed += distance(x, y);
    }
    let expected = 0;
    countsA.forEach((m, x) =>
      countsB.forEach((n, y) => (expected += (m * n * distance(x, y)) / picked.length)),
    );
    return expected === 0 ? Number.NaN : 1 - observed / expected;
  };
};

/**
 * Cohen's kappa (1960) of two raters' verdicts on the same items, weighted by the distance of ordered
 * categories if asked for (Cohen 1968); NaN if both always give one and the same verdict.
 */
export const cohenKappa = (a: readonly string[], b: readonly string[], options: KappaOptions = {}): number =>
  cohenOver(a, b, options)(all(a.length));

/** Cohen's kappa with its interval, resampling items. */
export const cohenAgreement = (
  a: readonly string[],
  b: readonly string[],
  options: KappaOptions & BootstrapOptions = {},
): Agreement => agreementOver(a.length, cohenOver(a, b, options), options);
