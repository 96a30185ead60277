import { quantile, weightedMean, wilson } from '../evaluate/index.ts';
import { stream } from '../random/random.ts';
import type { Interval } from '../schema/evaluation.ts';

const REPLICATES = 2000;

/**
 * Percentile bootstrap (Efron 1979), 95 %, of a statistic of several groups, each resampled within itself. A
 * replicate in which the statistic is undefined (NaN) is left out; null if all are, or a group is empty.
 */
export function stratifiedInterval(
  sizes: readonly number[],
  statistic: (picked: readonly Int32Array[]) => number,
  seed = 0,
): Interval | null {
  if (sizes.length === 0 || sizes.some((size) => size === 0)) return null;
  const picked = sizes.map((size) => new Int32Array(size));
  const values: number[] = [];
  for (let r = 0; r < REPLICATES; r++) {
    const draw = stream(seed, 'suite', r);
    for (const group of picked) for (let i = 0; i < group.length; i++) group[i] = draw.int(group.length);
    const value = statistic(picked);
    if (!Number.isNaN(value)) values.push(value);
  }
  return values.length === 0 ? null : [quantile(values, 0.025), quantile(values, 0.975)];
}

/** A subset of a section: the credits of its items, and its weight among them. */
export interface Stratum {
  readonly credits: readonly number[];
  readonly weight: number;
}

const meanAt = (values: readonly number[], picked: Int32Array): number => {
  let sum = 0;
  for (const at of picked) sum += values[at];
  return sum / picked.length;
};

/**
 * 95 % interval of a weighted mean of the means of strata. Where all credits are equal to 0 or to 1 a bootstrap
 * has no spread: then Wilson's interval with the effective number of items, (Σ w)² ÷ Σ w² ÷ n.
 */
export function weightedInterval(strata: readonly Stratum[]): Interval | null {
  const filled = strata.filter(({ credits }) => credits.length > 0);
  if (filled.length === 0) return null;
  const weights = filled.map(({ weight }) => weight);
  const [first] = filled[0].credits;
  if (
    (first === 0 || first === 1) &&
    filled.every(({ credits }) => credits.every((each) => each === first))
  ) {
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const effective =
      total ** 2 / filled.reduce((sum, { weight, credits }) => sum + weight ** 2 / credits.length, 0);
    return wilson(first * effective, effective);
  }
  return stratifiedInterval(
    filled.map(({ credits }) => credits.length),
    (picked) =>
      weightedMean(
        filled.map(({ credits }, at) => meanAt(credits, picked[at])),
        weights,
      ),
  );
}
