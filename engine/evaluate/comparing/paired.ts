/**
 * Differences of two policies on the same problems. The problem is the unit: several answers to it are first
 * averaged, since they are not independent.
 */
import type { Interval } from '../../schema/evaluation.ts';
import { WhetstoneError } from '../../common/errors.ts';
import { finite, notEmpty } from '../inputs.ts';
import { wilson } from '../intervals.ts';
import { deviation, mean, variance, weightedMean } from '../moments.ts';
import { studentBound, studentTails } from './distributions.ts';
import { fullTable, type Scores } from './scores.ts';

const LEVEL = 0.95;
/** 97.5 % and 80 % points of the standard normal distribution. */
const [Z_LEVEL, Z_POWER] = [1.959963984540054, 0.8416212335729143];

export interface MeanDifference {
  readonly difference: number;
  /** 95 %; null of a single value. */
  readonly interval: Interval | null;
  /** Two-sided p-value of no difference; null where there is none to compute. */
  readonly p: number | null;
  /** Standard deviation of the problems' differences; null of a single problem. */
  readonly deviation: number | null;
  readonly problems: number;
}

/** Mean and its 95 % interval by Student's t; no interval of a single value. */
export const studentInterval = (values: ArrayLike<number>): { mean: number; interval: Interval | null } => {
  const center = mean(values);
  if (values.length === 1) return { mean: center, interval: null };
  const half = studentBound(LEVEL, values.length - 1) * Math.sqrt(variance(values) / values.length);
  return { mean: center, interval: [center - half, center + half] };
};

/** The values as whole multiples of one unit; null if no unit down to 1/64 of the least one fits. */
function multiples(values: readonly number[]): number[] | null {
  const least = Math.min(...values);
  for (let parts = 1; parts <= 64; parts++) {
    const scaled = values.map((value) => (value * parts) / least);
    if (scaled.every((value) => Math.abs(value - Math.round(value)) < 1e-6))
      return scaled.map((value) => Math.round(value));
  }
  return null;
}

/** Most additions that an exact sign-flip test may take: about a tenth of a second. */
const MOST_WORK = 5e7;
/** A deviation below it is a rounding error of equal differences. */
const EQUAL = 1e-12;

/**
 * Two-sided p-value of the paired sign-flip test (Fisher 1935): with no difference, each problem's difference
 * is as likely as its opposite. Exact, from the distribution of the sum over all 2^n flips, where the
 * differences are multiples of one unit, as differences of rates are; with one answer per problem it is
 * McNemar's exact test. Otherwise, or where that would take too long, the p-value of the paired t-test.
 */
export const signFlipTest = (differences: ArrayLike<number>): number => {
  finite(differences, 'differences');
  notEmpty(differences, 'differences');
  const sizes = Array.from(differences, Math.abs).filter((size) => size > 0);
  if (sizes.length === 0) return 1;
  const n = differences.length;
  const byT = () => {
    const spread = deviation(differences) / Math.sqrt(n);
    return studentTails(mean(differences) / spread, n - 1);
  };
  const units = multiples(sizes);
  const most = units?.reduce((sum, size) => sum + size, 0) ?? 0;
  if (!units || most * units.length > MOST_WORK) return n > 1 ? byT() : 1;
  // the sum of flipped signs is 2 U − most, where U is the sum of a random half of the sizes
  const chance = new Float64Array(most + 1);
  chance[0] = 1;
  let reach = 0;
  for (const size of units) {
    reach += size;
    for (let u = reach; u >= 0; u--) chance[u] = (chance[u] + (u >= size ? chance[u - size] : 0)) / 2;
  }
  const unit = sizes[0] / units[0];
  const seen = Math.abs(Math.round(Array.from(differences).reduce((sum, value) => sum + value / unit, 0)));
  if (seen === 0) return 1;
  let tail = 0;
  for (let u = most; 2 * u - most >= seen; u--) tail += chance[u];
  return Math.min(1, 2 * tail);
};

/**
 * Values whose mean and variance are those of the weighted mean as a ratio of sums (Cochran 1977, chapter 6): the
 * weighted mean D plus n wᵢ ∕ Σw · (dᵢ − D). A problem that was drawn several times stays one unit.
 */
const balanced = (differences: ArrayLike<number>, weights: readonly number[]): number[] => {
  const center = weightedMean(differences, weights);
  const scale = 1 / mean(weights);
  return weights.map((weight, at) => center + scale * weight * (differences[at] - center));
};

/**
 * Mean of the differences of problems with a 95 % interval by Student's t, and the sign-flip test's p-value.
 * `weights`: how often each problem was drawn, all equal by default.
 * `bounds`: least and greatest possible difference (−1 and 1 of rates). If all differences are equal, t has no
 * spread; within bounds the interval then allows the share of other problems that Wilson's does: up to 3.8 of n
 * for large n. Without bounds there is none.
 */
export const pairedMean = (
  differences: ArrayLike<number>,
  bounds: readonly [number, number] | null = null,
  weights: readonly number[] | null = null,
): MeanDifference => {
  const values = weights ? balanced(differences, weights) : differences;
  const { mean: difference, interval } = studentInterval(values);
  const problems = differences.length;
  const measured = problems > 1 ? deviation(values) : null;
  const spread = measured !== null && measured < EQUAL ? 0 : measured;
  const flipped = weights ? weights.map((weight, at) => weight * differences[at]) : differences;
  const p = problems > 1 ? signFlipTest(flipped) : null;
  const facts = { difference, p, deviation: spread, problems };
  if (interval === null) return { ...facts, interval };
  if (!bounds) return { ...facts, interval: spread === 0 ? null : interval };
  const [least, greatest] = bounds;
  if (spread === 0) {
    const unseen = wilson(0, problems)[1];
    return {
      ...facts,
      interval: [difference - unseen * (difference - least), difference + unseen * (greatest - difference)],
    };
  }
  return { ...facts, interval: [Math.max(least, interval[0]), Math.min(greatest, interval[1])] };
};

/** Mean over runs, problem by problem. */
const overRuns = (scores: Scores): number[] =>
  scores[0].map((_, problem) => scores.reduce((sum, row) => sum + row[problem], 0) / scores.length);

/**
 * Mean of `b` minus mean of `a` over the same problems, each a group of runs that differ in their seed alone.
 * Runs of one seed each: `pairedMean`. With more, the variance adds those of problems (of the differences of
 * means over seeds) and of each group's seeds (of the runs' means): Student's t with Welch and Satterthwaite's
 * degrees of freedom. The noise of single answers is in both, so the interval is somewhat too wide. A group of
 * one run says nothing about other seeds. `weights`: how often each problem was drawn, all equal by default.
 */
export const groupDifference = (
  a: Scores,
  b: Scores,
  bounds: readonly [number, number] | null = null,
  weights: readonly number[] | null = null,
): MeanDifference => {
  fullTable(a, 'values of problems');
  fullTable(b, 'values of problems');
  fullTable([a[0], b[0]], 'values of problems');
  const [left, right] = [overRuns(a), overRuns(b)];
  const differences = left.map((value, problem) => right[problem] - value);
  const plain = pairedMean(differences, bounds, weights);
  const meanOf = (row: readonly number[]): number => (weights ? weightedMean(row, weights) : mean(row));
  if (a.length === 1 && b.length === 1) return plain;
  const ofSeeds = (scores: Scores) =>
    scores.length > 1 ? [{ value: variance(scores.map(meanOf)) / scores.length, df: scores.length - 1 }] : [];
  const parts = [
    ...(plain.deviation === null
      ? []
      : [{ value: plain.deviation ** 2 / differences.length, df: differences.length - 1 }]),
    ...ofSeeds(a),
    ...ofSeeds(b),
  ];
  const total = parts.reduce((sum, { value }) => sum + value, 0);
  if (total === 0) return plain;
  const df = total ** 2 / parts.reduce((sum, each) => sum + each.value ** 2 / each.df, 0);
  const half = studentBound(LEVEL, df) * Math.sqrt(total);
  const [least, greatest] = bounds ?? [-Infinity, Infinity];
  return {
    ...plain,
    interval: [Math.max(least, plain.difference - half), Math.min(greatest, plain.difference + half)],
    p: studentTails(plain.difference / Math.sqrt(total), df),
  };
};

/**
 * Problems that a paired test at the 5 % level needs to see a mean difference with 80 % power, if the problems'
 * differences deviate by `spread`: ((z.975 + z.8) · spread ∕ difference)².
 */
export const problemsNeeded = (spread: number, difference: number): number => {
  finite([spread, difference], 'sizes of differences');
  if (!(spread >= 0 && difference > 0))
    throw new WhetstoneError(
      'invalid-input',
      'A deviation is 0 or more, a difference to be seen more than 0.',
    );
  return Math.max(2, Math.ceil((((Z_LEVEL + Z_POWER) * spread) / difference) ** 2));
};

/** Problems that A solves better, equally well, and worse than B, with Wilson's interval of each share. */
export interface Wins {
  readonly problems: number;
  readonly better: number;
  readonly equal: number;
  readonly worse: number;
  readonly intervals: { readonly better: Interval; readonly equal: Interval; readonly worse: Interval };
}

/** Counts the signs of differences (A − B, problem by problem); differences within 1e-9 are equal. */
export const winsOf = (differences: ArrayLike<number>): Wins => {
  finite(differences, 'differences');
  const n = differences.length;
  const better = Array.from(differences).filter((value) => value > 1e-9).length;
  const worse = Array.from(differences).filter((value) => value < -1e-9).length;
  const equal = n - better - worse;
  return {
    problems: n,
    better,
    equal,
    worse,
    intervals: { better: wilson(better, n), equal: wilson(equal, n), worse: wilson(worse, n) },
  };
};
