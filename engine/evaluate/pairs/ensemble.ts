import type { Interval } from '../../schema/evaluation.ts';
import { spearman } from '../association.ts';
import { notEmpty, sameLength } from '../inputs.ts';
import { clusteredRateInterval, clustersOf } from '../intervals.ts';
import { mean } from '../moments.ts';

/** An accuracy with its 95 % interval, resampled by prompt. */
export interface JudgedRate {
  readonly accuracy: number;
  readonly interval: Interval;
}

/** Several judges on the same pairs. */
export interface Ensemble {
  /** Each judge's own accuracy, and the deviation that its margins were divided by; 0 where all are 0. */
  readonly judges: readonly (JudgedRate & { readonly deviation: number })[];
  /** Of the mean margin. */
  readonly ensemble: JudgedRate;
  /** By pair: mean and standard deviation of the standardised margins over judges. */
  readonly margin: Float64Array;
  readonly spread: Float64Array;
  /** By pair: the share of judges that are against the majority, 0 to ½; equal scores count half on each side. */
  readonly dissent: Float64Array;
  /** Rank correlation of the spread with being wrong of the mean margin; null if either is constant. */
  readonly correlation: number | null;
}

/** 1 for a margin above 0, ½ for 0. */
const hit = (margin: number): number => (margin > 0 ? 1 : margin === 0 ? 0.5 : 0);

/** Standard deviation of a few values, n − 1; exactly 0 for equal ones. */
const deviationOf = (values: readonly number[]): number => {
  if (values.every((value) => value === values[0])) return 0;
  const center = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - center) ** 2, 0) / (values.length - 1));
};

/**
 * An ensemble of judges by the mean of their margins (Coste et al. 2024, "Reward model ensembles help mitigate
 * overoptimization", arXiv:2310.02743), judges × pairs. Scores of judges have no common scale, so each judge's
 * margins are first divided by their own deviation from 0, the root of their mean square: the sign of a margin
 * follows from the order of the two answers alone, so in both orders they have mean 0. `prompts` are the keys
 * by which pairs are resampled. Throws without pairs.
 */
export function ensembleOf(
  margins: readonly ArrayLike<number>[],
  prompts: readonly string[],
  replicates = 1000,
): Ensemble {
  notEmpty(prompts, 'pairs of an ensemble');
  notEmpty(margins, 'judges of an ensemble');
  for (const own of margins) sameLength(own, prompts, 'margins and prompts of an ensemble');
  const deviations = margins.map((own) => Math.sqrt(mean(Array.from(own, (value) => value * value))));
  const standard = (judge: number, at: number): number => margins[judge][at] / (deviations[judge] || 1);
  const all = prompts.map((_prompt, at) => margins.map((_own, judge) => standard(judge, at)));
  const margin = Float64Array.from(all, (own) => mean(own));
  const spread = Float64Array.from(all, deviationOf);
  const dissent = Float64Array.from(all, (own) => {
    const share = mean(own.map(hit));
    return Math.min(share, 1 - share);
  });
  const rated = (values: ArrayLike<number>): JudgedRate => {
    const hits = Array.from(values, hit);
    const interval = clusteredRateInterval(clustersOf(prompts, hits), { replicates });
    return { accuracy: mean(hits), interval };
  };
  const rho = spearman(
    spread,
    Array.from(margin, (value) => 1 - hit(value)),
  );
  return {
    judges: margins.map((own, judge) => ({ ...rated(own), deviation: deviations[judge] })),
    ensemble: rated(margin),
    margin,
    spread,
    dissent,
    correlation: Number.isNaN(rho) ? null : rho,
  };
}
