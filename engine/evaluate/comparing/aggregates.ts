/**
 * Aggregates over runs and problems with stratified bootstrap intervals, as in rliable (Agarwal et al., "Deep
 * reinforcement learning at the edge of the statistical precipice", NeurIPS 2021).
 */
import type { Interval } from '../../schema/evaluation.ts';
import { stream } from '../../random/random.ts';
import { finite, whole } from '../inputs.ts';
import { quantileOfSorted, weightedMean } from '../moments.ts';
import { fullTable, type Scores } from './scores.ts';

export interface Aggregates {
  /** Mean of all scores. */
  readonly mean: number;
  /** Median over problems of their mean over runs. */
  readonly median: number;
  /** Interquartile mean: the mean of the middle half of all scores of runs and (draws of) problems. */
  readonly iqm: number;
  /** Mean amount by which scores fall short of 1; for rates, 1 − mean. */
  readonly optimalityGap: number;
}

/** Scores by run and problem, each by its place among the distinct values, so that a resample needs no sorting. */
interface Table {
  /** The distinct values, ascending. */
  readonly values: Float64Array;
  /** Places of `runs` × `problems` scores, one run after the other. */
  readonly places: Int32Array;
  readonly runs: number;
  /** Number of draws of each problem. */
  readonly weights: Float64Array;
}

function tableOf(scores: Scores, weights: readonly number[] | null): Table {
  fullTable(scores, 'scores');
  const flat = Float64Array.from(scores.flat());
  const values = Float64Array.from(new Set(flat)).sort();
  const placeOf = new Map([...values].map((value, place) => [value, place]));
  return {
    values,
    places: Int32Array.from(flat, (value) => placeOf.get(value) ?? 0),
    runs: scores.length,
    weights: weightsOf(scores[0].length, weights),
  };
}

/** Numbers of draws of problems, 1 each by default; throws for another number of them, or any not above 0. */
function weightsOf(problems: number, weights: readonly number[] | null): Float64Array {
  const found = Float64Array.from(
    weights ?? { length: problems },
    (weight: number | undefined) => weight ?? 1,
  );
  // checks them
  weightedMean(new Float64Array(problems), found);
  return found;
}

/**
 * Mean of values without a quarter of their total weight (rounded down) at each end; with weights of 1,
 * scipy.stats.trim_mean(x, 0.25). `masses`: weight of each of the ascending `values`.
 */
const middleHalf = (values: Float64Array, masses: Float64Array): number => {
  const all = masses.reduce((sum, mass) => sum + mass, 0);
  const cut = Math.floor(0.25 * all);
  let [total, below] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    const kept = Math.min(below + masses[i], all - cut) - Math.max(below, cut);
    if (kept > 0) total += kept * values[i];
    below += masses[i];
  }
  return total / (all - 2 * cut);
};

/** Median of values that occur as often as their weights say. */
function weightedMedian(values: Float64Array, weights: Float64Array): number {
  const order = Array.from(values.keys()).sort((i, j) => values[i] - values[j]);
  const middle = (weights.reduce((sum, weight) => sum + weight, 0) - 1) / 2;
  const [low, high] = [Math.floor(middle), Math.ceil(middle)];
  let [below, first] = [0, Number.NaN];
  for (const i of order) {
    below += weights[i];
    if (Number.isNaN(first) && below > low) first = values[i];
    if (below > high) return (first + values[i]) / 2;
  }
  return values[order[order.length - 1]];
}

const ofTable = ({ values, places, runs, weights }: Table): Aggregates => {
  const problems = weights.length;
  const means = new Float64Array(problems);
  const masses = new Float64Array(values.length);
  places.forEach((place, i) => {
    means[i % problems] += values[place] / runs;
    masses[place] += weights[i % problems];
  });
  const total = masses.reduce((sum, mass) => sum + mass, 0);
  let [all, short] = [0, 0];
  values.forEach((value, place) => {
    all += masses[place] * value;
    short += masses[place] * (1 - Math.min(1, value));
  });
  return {
    mean: all / total,
    median: weightedMedian(means, weights),
    iqm: middleHalf(values, masses),
    optimalityGap: short / total,
  };
};

/** The aggregates of scores by run and problem. `weights`: number of draws of each problem, 1 by default. */
export const aggregatesOf = (scores: Scores, weights: readonly number[] | null = null): Aggregates =>
  ofTable(tableOf(scores, weights));

export interface StratifiedOptions {
  readonly seed?: number;
  readonly replicates?: number;
  /** Number of draws of each problem; 1 by default. */
  readonly weights?: readonly number[] | null;
}

/** Resamples the runs of each problem apart (a stratum), with replacement. */
function resampled(
  table: Table,
  draw: { int(below: number): number },
  out = new Int32Array(table.places),
): Table {
  const problems = table.weights.length;
  for (let i = 0; i < out.length; i++)
    out[i] = table.places[draw.int(table.runs) * problems + (i % problems)];
  return { ...table, places: out };
}

const percentiles = (found: Float64Array): Interval => {
  found.sort();
  return [quantileOfSorted(found, 0.025), quantileOfSorted(found, 0.975)];
};

/**
 * 95 % intervals of the aggregates by the stratified percentile bootstrap: each problem's runs are resampled.
 * Null of a single run, which has nothing to resample.
 */
export const aggregateIntervals = (
  scores: Scores,
  { seed = 0, replicates = 2000, weights = null }: StratifiedOptions = {},
): { readonly [K in keyof Aggregates]: Interval } | null => {
  const table = tableOf(scores, weights);
  whole(replicates, 'number of replicates', 1);
  if (table.runs === 1) return null;
  const picked = new Int32Array(table.places.length);
  const found = {
    mean: new Float64Array(replicates),
    median: new Float64Array(replicates),
    iqm: new Float64Array(replicates),
    optimalityGap: new Float64Array(replicates),
  };
  for (let r = 0; r < replicates; r++) {
    const values = ofTable(resampled(table, stream(seed, 'stratified', r), picked));
    found.mean[r] = values.mean;
    found.median[r] = values.median;
    found.iqm[r] = values.iqm;
    found.optimalityGap[r] = values.optimalityGap;
  }
  return {
    mean: percentiles(found.mean),
    median: percentiles(found.median),
    iqm: percentiles(found.iqm),
    optimalityGap: percentiles(found.optimalityGap),
  };
};

/** Mean over draws of problems of P(X > Y) + ½ P(X = Y). */
const improvement = (x: Table, y: Table): number => {
  const problems = x.weights.length;
  let [total, drawn] = [0, 0];
  for (let p = 0; p < problems; p++) {
    let wins = 0;
    for (let i = p; i < x.places.length; i += problems)
      for (let j = p; j < y.places.length; j += problems) {
        const difference = x.values[x.places[i]] - y.values[y.places[j]];
        wins += difference > 0 ? 1 : difference === 0 ? 0.5 : 0;
      }
    total += (x.weights[p] * wins) / (x.runs * y.runs);
    drawn += x.weights[p];
  }
  return total / drawn;
};

/**
 * Probability of improvement: that a run of X scores higher than a run of Y on the same problem, averaged over
 * problems (Mann–Whitney's U ∕ nm, ties one half). The interval resamples the runs of each problem; null if
 * both have one run.
 */
export const probabilityOfImprovement = (
  x: Scores,
  y: Scores,
  { seed = 0, replicates = 2000, weights = null }: StratifiedOptions = {},
): { readonly value: number; readonly interval: Interval | null } => {
  const [left, right] = [tableOf(x, weights), tableOf(y, weights)];
  fullTable([x[0], y[0]], 'scores');
  whole(replicates, 'number of replicates', 1);
  const value = improvement(left, right);
  if (left.runs === 1 && right.runs === 1) return { value, interval: null };
  const found = new Float64Array(replicates);
  for (let r = 0; r < replicates; r++) {
    const draw = stream(seed, 'stratified', r);
    found[r] = improvement(resampled(left, draw), resampled(right, draw));
  }
  return { value, interval: percentiles(found) };
};

/** Performance profile: share of runs and problems that score above each of `thresholds`. */
export const performanceProfile = (scores: Scores, thresholds: readonly number[]): number[] => {
  fullTable(scores, 'scores');
  finite(thresholds, 'thresholds');
  const all = scores.flat();
  return thresholds.map((threshold) => all.filter((value) => value > threshold).length / all.length);
};
