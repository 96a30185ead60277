/**
 * Aggregates over runs and problems with stratified bootstrap intervals, as in rliable (Agarwal et al., "Deep
 * reinforcement learning at the edge of the statistical precipice", NeurIPS 2021).
 */
import type { Interval } from '../../schema/evaluation.ts';
import { stream } from '../../random/random.ts';
import { finite, whole } from '../inputs.ts';
import { quantile, quantileOfSorted } from '../moments.ts';
import { fullTable, type Scores } from './scores.ts';

export interface Aggregates {
  /** Mean of all scores. */
  readonly mean: number;
  /** Median over problems of their mean over runs. */
  readonly median: number;
  /** Interquartile mean: the mean of the middle half of all scores of runs and problems. */
  readonly iqm: number;
  /** Mean amount by which scores fall short of 1; for rates, 1 − mean. */
  readonly optimalityGap: number;
}

/** Trims a quarter of the values (rounded down) from each end, as scipy.stats.trim_mean(x, 0.25) does. */
const middleHalf = (values: Float64Array): number => {
  const sorted = values.slice().sort();
  const cut = Math.floor(0.25 * sorted.length);
  let total = 0;
  for (let i = cut; i < sorted.length - cut; i++) total += sorted[i];
  return total / (sorted.length - 2 * cut);
};

/** Of scores as a flat table of `runs` × `problems`. */
const ofFlat = (scores: Float64Array, runs: number): Aggregates => {
  const problems = scores.length / runs;
  const means = new Float64Array(problems);
  let [total, short] = [0, 0];
  scores.forEach((value, i) => {
    means[i % problems] += value / runs;
    total += value;
    short += 1 - Math.min(1, value);
  });
  return {
    mean: total / scores.length,
    median: quantile(means, 0.5),
    iqm: middleHalf(scores),
    optimalityGap: short / scores.length,
  };
};

/** The aggregates of scores by run and problem. */
export const aggregatesOf = (scores: Scores): Aggregates => {
  fullTable(scores, 'scores');
  return ofFlat(Float64Array.from(scores.flat()), scores.length);
};

export interface StratifiedOptions {
  readonly seed?: number;
  readonly replicates?: number;
}

/** Resamples the runs of each problem apart (a stratum), with replacement, into `out`. */
function resample(scores: Scores, out: Float64Array, draw: { int(below: number): number }): void {
  const problems = scores[0].length;
  for (let run = 0; run < scores.length; run++)
    for (let problem = 0; problem < problems; problem++)
      out[run * problems + problem] = scores[draw.int(scores.length)][problem];
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
  { seed = 0, replicates = 2000 }: StratifiedOptions = {},
): { readonly [K in keyof Aggregates]: Interval } | null => {
  fullTable(scores, 'scores');
  whole(replicates, 'number of replicates', 1);
  if (scores.length === 1) return null;
  const picked = new Float64Array(scores.length * scores[0].length);
  const found = {
    mean: new Float64Array(replicates),
    median: new Float64Array(replicates),
    iqm: new Float64Array(replicates),
    optimalityGap: new Float64Array(replicates),
  };
  for (let r = 0; r < replicates; r++) {
    resample(scores, picked, stream(seed, 'stratified', r));
    const values = ofFlat(picked, scores.length);
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

/** Mean over problems of P(X > Y) + ½ P(X = Y), of flat tables. */
const improvement = (x: Float64Array, y: Float64Array, problems: number): number => {
  let total = 0;
  for (let i = 0; i < x.length; i++)
    for (let j = i % problems; j < y.length; j += problems)
      total += x[i] > y[j] ? 1 : x[i] === y[j] ? 0.5 : 0;
  return (total * problems) / (x.length * y.length);
};

/**
 * Probability of improvement: that a run of X scores higher than a run of Y on the same problem, averaged over
 * problems (Mann–Whitney's U ∕ nm, ties one half). The interval resamples the runs of each problem; null if
 * both have one run.
 */
export const probabilityOfImprovement = (
  x: Scores,
  y: Scores,
  { seed = 0, replicates = 2000 }: StratifiedOptions = {},
): { readonly value: number; readonly interval: Interval | null } => {
  fullTable(x, 'scores');
  fullTable(y, 'scores');
  fullTable([x[0], y[0]], 'scores');
  whole(replicates, 'number of replicates', 1);
  const problems = x[0].length;
  const [flatX, flatY] = [Float64Array.from(x.flat()), Float64Array.from(y.flat())];
  const value = improvement(flatX, flatY, problems);
  if (x.length === 1 && y.length === 1) return { value, interval: null };
  const found = new Float64Array(replicates);
  for (let r = 0; r < replicates; r++) {
    const draw = stream(seed, 'stratified', r);
    resample(x, flatX, draw);
    resample(y, flatY, draw);
    found[r] = improvement(flatX, flatY, problems);
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
