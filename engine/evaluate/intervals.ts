import { stream } from '../random/random.ts';
import type { Interval } from '../schema/evaluation.ts';
import { WhetstoneError } from '../common/errors.ts';
import { finite, ordered, sameLength, notEmpty, whole } from './inputs.ts';
import { quantileOfSorted } from './moments.ts';

/** 97.5 % point of the standard normal distribution. */
const Z95 = 1.959963984540054;

/**
 * Wilson's score interval (1927) for `successes` of `n`; `successes` may be fractional (ties count one half).
 * z = 1.96: 95 %.
 */
export const wilson = (successes: number, n: number, z = Z95): Interval => {
  finite([successes, n, z], 'counts of an interval');
  if (successes < 0 || n < 0 || successes > n)
    throw new WhetstoneError('invalid-input', `Of ${n} trials ${successes} cannot have succeeded.`);
  if (n === 0) return [0, 1];
  const p = successes / n;
  const center = p + (z * z) / (2 * n);
  const half = z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n));
  const scale = 1 + (z * z) / n;
  return [Math.max(0, (center - half) / scale), Math.min(1, (center + half) / scale)];
};

/** Values of one prompt: they are not independent, so they are resampled together. */
export interface Cluster {
  readonly sum: number;
  readonly n: number;
}

/** Sums values by key, in the order of first appearance. */
export const clustersOf = (keys: readonly string[], values: ArrayLike<number>): Cluster[] => {
  sameLength(keys, values, 'keys and values');
  finite(values, 'values');
  const found = new Map<string, { sum: number; n: number }>();
  keys.forEach((key, i) => {
    const cluster = found.get(key) ?? { sum: 0, n: 0 };
    cluster.sum += values[i];
    cluster.n++;
    found.set(key, cluster);
  });
  return [...found.values()];
};

export interface BootstrapOptions {
  readonly seed?: number;
  readonly replicates?: number;
  /** 0.95: the interval leaves out 2.5 % on each side. */
  readonly level?: number;
}

/**
 * Percentile bootstrap (Efron 1979) of a statistic of resampled items. The same seed gives the same interval.
 */
export const bootstrap = (
  items: number,
  statistic: (picked: Int32Array) => number,
  options: BootstrapOptions = {},
): Interval => {
  const { seed = 0, replicates = 2000, level = 0.95 } = options;
  whole(items, 'number of items of a bootstrap', 1);
  whole(replicates, 'number of replicates', 1);
  if (!(level > 0 && level < 1))
    throw new WhetstoneError('invalid-input', `The level must lie between 0 and 1, not ${level}.`);
  const picked = new Int32Array(items);
  const found = new Float64Array(replicates);
  for (let r = 0; r < replicates; r++) {
    const draw = stream(seed, 'bootstrap', r);
    for (let i = 0; i < items; i++) picked[i] = draw.int(items);
    found[r] = statistic(picked);
  }
  ordered(found, 'values of the statistic');
  found.sort();
  return [quantileOfSorted(found, (1 - level) / 2), quantileOfSorted(found, (1 + level) / 2)];
};

const checkClusters = (clusters: readonly Cluster[]): void => {
  finite(
    clusters.map(({ sum }) => sum),
    'sums of clusters',
  );
  for (const { n } of clusters) whole(n, 'size of a cluster', 1);
};

/** Interval of the mean of independent values. */
export const meanInterval = (values: ArrayLike<number>, options?: BootstrapOptions): Interval =>
  clusteredMeanInterval(
    Array.from(values, (value) => ({ sum: value, n: 1 })),
    options,
  );

/** Interval of the mean over all rows, resampling whole clusters (prompts). */
export const clusteredMeanInterval = (clusters: readonly Cluster[], options?: BootstrapOptions): Interval => {
  checkClusters(clusters);
  return bootstrap(
    clusters.length,
    (picked) => {
      let total = 0;
      let n = 0;
      for (const i of picked) {
        total += clusters[i].sum;
        n += clusters[i].n;
      }
      return total / n;
    },
    options,
  );
};

/**
 * The same for rates: if all rows agree, a bootstrap has no spread, so Wilson's interval over the clusters
 * is used instead.
 */
export const clusteredRateInterval = (clusters: readonly Cluster[], options?: BootstrapOptions): Interval => {
  checkClusters(clusters);
  if (clusters.length === 0) return [0, 1];
  if (clusters.every(({ sum }) => sum === 0)) return wilson(0, clusters.length);
  if (clusters.every(({ sum, n }) => sum === n)) return wilson(clusters.length, clusters.length);
  return clusteredMeanInterval(clusters, options);
};

/** Mean of b − a over paired items, with its interval. Values of one key are resampled together. */
export const pairedDifference = (
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  keys?: readonly string[],
  options?: BootstrapOptions,
): { readonly difference: number; readonly interval: Interval } => {
  sameLength(a, b, 'values of a paired difference');
  notEmpty(a, 'values of a paired difference');
  const differences = Float64Array.from(a, (value, i) => b[i] - value);
  const clusters = clustersOf(keys ?? Array.from(differences, (_, i) => String(i)), differences);
  const total = clusters.reduce((sum, cluster) => sum + cluster.sum, 0);
  return { difference: total / differences.length, interval: clusteredMeanInterval(clusters, options) };
};
