/** Measures of one labeler: self-agreement, position bias, agreement with gold, pace, drift. */
import { WhetstoneError } from '../common/errors.ts';
import type { Interval } from '../schema/evaluation.ts';
import { leastSquaresLine } from './association.ts';
import { finite, notEmpty, whole } from './inputs.ts';
import { bootstrap, wilson, type BootstrapOptions } from './intervals.ts';
import { quantile } from './moments.ts';

/** A share with Wilson's interval, and the ids of what counts against it. `rate` is null without cases. */
export interface Rate {
  readonly rate: number | null;
  readonly interval: Interval;
  readonly n: number;
  /** Ids of the cases that did not agree, for a list that opens them. */
  readonly against: readonly string[];
}

const rateOf = (cases: readonly { readonly id: string; readonly agrees: boolean }[]): Rate => {
  const against = cases.filter(({ agrees }) => !agrees).map(({ id }) => id);
  const n = cases.length;
  return {
    rate: n === 0 ? null : (n - against.length) / n,
    interval: wilson(n - against.length, n),
    n,
    against,
  };
};

/** One item that a labeler judged, in the order in which it was judged. */
export interface Decision {
  readonly item: string;
  readonly label: string;
}

/**
 * How often a labeler repeats a decision: each later label of an item is compared with the labeler's first
 * one. The ceiling for a model that learns from these labels. `against` holds items.
 */
export const selfAgreement = (decisions: readonly Decision[]): Rate => {
  const first = new Map<string, string>();
  const repeats: { id: string; agrees: boolean }[] = [];
  for (const { item, label } of decisions) {
    const before = first.get(item);
    if (before === undefined) first.set(item, label);
    else repeats.push({ id: item, agrees: before === label });
  }
  return rateOf(repeats);
};

/** Agreement with gold labels, over the decisions on items that have one. `against` holds items. */
export const goldAgreement = (decisions: readonly Decision[], gold: ReadonlyMap<string, string>): Rate =>
  rateOf(
    decisions.flatMap(({ item, label }) => {
      const right = gold.get(item);
      return right === undefined ? [] : [{ id: item, agrees: right === label }];
    }),
  );

export interface PositionBias {
  /** Share of decided pairs won by the left side; null without any. */
  readonly left: number | null;
  /** Wilson's interval; with sides shown at random it should contain one half. */
  readonly interval: Interval;
  readonly n: number;
  readonly biased: boolean;
}

/** Share of pairs won by the side shown on the left; ties are to be left out. */
export const positionBias = (chosen: readonly ('left' | 'right')[]): PositionBias => {
  const left = chosen.filter((side) => side === 'left').length;
  if (chosen.some((side) => side !== 'left' && side !== 'right'))
    throw new WhetstoneError('invalid-input', 'A chosen side is left or right.', { where: 'chosen' });
  const interval = wilson(left, chosen.length);
  return {
    left: chosen.length === 0 ? null : left / chosen.length,
    interval,
    n: chosen.length,
    biased: interval[0] > 0.5 || interval[1] < 0.5,
  };
};

export interface Pace {
  /** Seconds between two decisions of one sitting: median, and 10th and 90th percentile. */
  readonly median: number;
  readonly low: number;
  readonly high: number;
  readonly decisionsPerHour: number;
  readonly sittings: number;
  /** Time spent in sittings, in seconds, without the unknown time before the first decision of each. */
  readonly seconds: number;
}

/**
 * Pace of decisions from their times, in milliseconds and rising. A gap of more than `pause` seconds ends a
 * sitting and counts as no work. Null with fewer than two decisions in any sitting.
 */
export const paceOf = (times: ArrayLike<number>, pause = 300): Pace | null => {
  finite(times, 'times of decisions');
  finite([pause], 'length of a pause');
  const gaps: number[] = [];
  let sittings = Math.min(1, times.length);
  for (let i = 1; i < times.length; i++) {
    const gap = (times[i] - times[i - 1]) / 1000;
    if (gap < 0)
      throw new WhetstoneError('invalid-input', `Decision ${i + 1} is earlier than the one before it.`, {
        where: 'times of decisions',
      });
    if (gap > pause) sittings++;
    else gaps.push(gap);
  }
  if (gaps.length === 0) return null;
  const seconds = gaps.reduce((sum, gap) => sum + gap, 0);
  return {
    median: quantile(gaps, 0.5),
    low: quantile(gaps, 0.1),
    high: quantile(gaps, 0.9),
    decisionsPerHour: seconds === 0 ? Infinity : (3600 * gaps.length) / seconds,
    sittings,
    seconds,
  };
};

export interface Drift {
  /** Means of equal stretches, oldest first; `from` and `to` count values, `to` excluded. */
  readonly blocks: readonly { readonly from: number; readonly to: number; readonly mean: number }[];
  /** Change of the mean over 100 values, by least squares, with its bootstrap interval. */
  readonly per100: number;
  readonly interval: Interval;
  /** True if the interval leaves out 0. */
  readonly drifts: boolean;
}

/**
 * Drift of a measure over a labeler's decisions in their order (1 and 0 for agreement with gold or a judge,
 * seconds for pace): its mean by stretches, and the slope. Throws for fewer than two values.
 */
export const driftOf = (values: ArrayLike<number>, blocks = 5, options?: BootstrapOptions): Drift => {
  notEmpty(values, 'values');
  finite(values, 'values');
  whole(values.length, 'number of values of a drift', 2);
  whole(blocks, 'number of stretches', 1);
  const n = values.length;
  const slope = (picked: ArrayLike<number>): number =>
    100 *
    leastSquaresLine(
      picked,
      Float64Array.from(picked, (i) => values[i]),
    ).slope;
  const interval = bootstrap(n, slope, options);
  const parts = Math.min(blocks, n);
  return {
    blocks: Array.from({ length: parts }, (_, b) => {
      const [from, to] = [Math.floor((b * n) / parts), Math.floor(((b + 1) * n) / parts)];
      let total = 0;
      for (let i = from; i < to; i++) total += values[i];
      return { from, to, mean: total / (to - from) };
    }),
    per100: slope(Float64Array.from({ length: n }, (_, i) => i)),
    interval,
    drifts: interval[0] > 0 || interval[1] < 0,
  };
};
