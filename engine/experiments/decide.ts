/** Results of an experiment: seeds folded, configurations ranked. */
import { mean, studentInterval } from '../evaluate/index.ts';
import type { Interval } from '../schema/evaluation.ts';
import type { HalvingDecision, Objective } from '../schema/experiment.ts';

/** The objective of one run; null if it failed or has no value. */
export interface Scored {
  readonly configuration: number;
  readonly value: number | null;
}

/** Values of a configuration over its seeds. */
export interface Folded {
  /** Number of finite values. */
  readonly n: number;
  readonly mean: number | null;
  /** 95 % interval of the mean over seeds (Student 1908); null for fewer than two values. */
  readonly interval: Interval | null;
}

/**
 * Folds the values of several seeds; missing and non-finite ones are left out, and `n` says how many remain.
 */
export function foldSeeds(values: readonly (number | null)[]): Folded {
  const known = values.filter((value): value is number => value !== null && Number.isFinite(value));
  const n = known.length;
  if (n === 0) return { n, mean: null, interval: null };
  return { n, ...studentInterval(known) };
}

/**
 * Configurations from best to worst by their mean over seeds. A configuration with a value that is missing or
 * not finite ranks behind all others, since a mean over its other seeds would reward what fails; equal ones
 * keep their order.
 */
export function ranking(
  scores: readonly Scored[],
  direction: Objective['direction'],
): HalvingDecision['ranking'] {
  const sign = direction === 'maximize' ? -1 : 1;
  return [...Map.groupBy(scores, ({ configuration }) => configuration)]
    .map(([configuration, runs]) => {
      const isWhole = runs.every(({ value }) => value !== null && Number.isFinite(value));
      return { configuration, score: isWhole ? mean(runs.map(({ value }) => value ?? 0)) : null };
    })
    .sort((a, b) => {
      if (a.score === null || b.score === null)
        return Number(a.score === null) - Number(b.score === null) || a.configuration - b.configuration;
      return sign * (a.score - b.score) || a.configuration - b.configuration;
    });
}

/** Keeps the best `keep` configurations of a rung; those without a score never go on. */
export function decide(
  scores: readonly Scored[],
  { rung, keep, direction }: { readonly rung: number; readonly keep: number } & Pick<Objective, 'direction'>,
): HalvingDecision {
  const ranked = ranking(scores, direction);
  const kept = ranked.filter(({ score }) => score !== null).slice(0, keep);
  return { rung, ranking: ranked, kept: kept.map(({ configuration }) => configuration) };
}
