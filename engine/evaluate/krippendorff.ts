import { WhetstoneError } from '../common/errors.ts';
import { agreementOver, type Agreement } from './agreement.ts';
import type { BootstrapOptions } from './intervals.ts';
import { finite } from './inputs.ts';

/** Distance of two values: equal or not (nominal), by rank (ordinal), by difference (interval). */
export type AlphaMetric = 'nominal' | 'ordinal' | 'interval';

/** `ratings[rater][item]`; null where a rater gave none. Text is nominal. */
export type Ratings = readonly (readonly (number | string | null)[])[];

interface Coded {
  /** Values in rising order (nominal text: as they appear). */
  readonly values: readonly (number | string)[];
  /** By item with at least two ratings: how often each value was given. */
  readonly counts: readonly Float64Array[];
}

const refuse = (message: string): never => {
  throw new WhetstoneError('invalid-input', message, { where: 'ratings' });
};

const coded = (ratings: Ratings, metric: AlphaMetric): Coded => {
  const items = ratings[0]?.length ?? 0;
  if (ratings.length < 2 || items === 0)
    refuse('Krippendorff’s alpha needs at least two raters and an item.');
  if (ratings.some((row) => row.length !== items))
    refuse('Every rater needs one entry for each item, null where there is no rating.');
  const given = ratings.flat().filter((value) => value !== null);
  finite(
    given.filter((value) => typeof value === 'number'),
    'ratings',
  );
  if (metric !== 'nominal' && given.some((value) => typeof value === 'string'))
    refuse(`Text has no ${metric} distance; give numbers.`);
  const values = [...new Set(given)].sort((a, b) =>
    typeof a === 'number' && typeof b === 'number' ? a - b : 0,
  );
  const codeOf = new Map(values.map((value, code) => [value, code]));
  const counts: Float64Array[] = [];
  for (let item = 0; item < items; item++) {
    const row = new Float64Array(values.length);
    for (const rater of ratings) {
      const value = rater[item];
      if (value !== null) row[codeOf.get(value) ?? 0]++;
    }
    if (row.reduce((sum, n) => sum + n, 0) >= 2) counts.push(row);
  }
  if (counts.length === 0) refuse('No item has two ratings, so there is nothing to compare.');
  return { values, counts };
};

/** Squared distance δ² of two values, by their codes; ordinal distances depend on how often each was given. */
const squaredDistance = (
  metric: AlphaMetric,
  values: Coded['values'],
  totals: Float64Array,
): ((c: number, k: number) => number) => {
  if (metric === 'nominal') return (c, k) => Number(c !== k);
  if (metric === 'interval') return (c, k) => (Number(values[c]) - Number(values[k])) ** 2;
  const before = new Float64Array(totals.length + 1);
  totals.forEach((n, code) => (before[code + 1] = before[code] + n));
  return (c, k) => {
    const [low, high] = c < k ? [c, k] : [k, c];
    return (before[high + 1] - before[low] - (totals[low] + totals[high]) / 2) ** 2;
  };
};

/** 1 − observed ⁄ expected disagreement over chosen items. */
const alphaOver =
  ({ values, counts }: Coded, metric: AlphaMetric) =>
  (picked: ArrayLike<number>): number => {
    const size = values.length;
    const coincidences = new Float64Array(size * size);
    const totals = new Float64Array(size);
    for (let at = 0; at < picked.length; at++) {
      const row = counts[picked[at]];
      const raters = row.reduce((sum, n) => sum + n, 0);
      for (let c = 0; c < size; c++) {
        if (row[c] === 0) continue;
        totals[c] += row[c];
        for (let k = 0; k < size; k++)
          coincidences[c * size + k] += (row[c] * (row[k] - Number(c === k))) / (raters - 1);
      }
    }
    const n = totals.reduce((sum, count) => sum + count, 0);
    const distance = squaredDistance(metric, values, totals);
    let [observed, expected] = [0, 0];
    for (let c = 0; c < size; c++)
      for (let k = 0; k < c; k++) {
        observed += coincidences[c * size + k] * distance(c, k);
        expected += totals[c] * totals[k] * distance(c, k);
      }
    return expected === 0 ? Number.NaN : 1 - ((n - 1) * observed) / expected;
  };

/**
 * Krippendorff's alpha (Krippendorff 2011, "Computing Krippendorff's alpha-reliability") of any number of
 * raters with missing ratings. Items with fewer than two ratings do not count. NaN if all ratings are one
 * value.
 */
export const krippendorffAlpha = (ratings: Ratings, metric: AlphaMetric = 'nominal'): number => {
  const data = coded(ratings, metric);
  return alphaOver(data, metric)(data.counts.map((_, item) => item));
};

/** Krippendorff's alpha with its interval, resampling items. */
export const krippendorffAgreement = (
  ratings: Ratings,
  metric: AlphaMetric = 'nominal',
  options?: BootstrapOptions,
): Agreement => {
  const data = coded(ratings, metric);
  return agreementOver(data.counts.length, alphaOver(data, metric), options);
};
