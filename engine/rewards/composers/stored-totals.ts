/** Totals from stored values of scorers, without scoring again. */
import { namedRewards } from '../stack.ts';
import { weightedSum, type Composition } from './composer.ts';
import type { TotalSpec } from './composed-stack.ts';
import { openComposer } from './index.ts';

/** Answers of one step: the stored values of each, and the number of its group. */
export interface StoredBatch {
  readonly scores: readonly { readonly [scorer: string]: number }[];
  readonly groups: readonly unknown[];
  /** Share of the run that was done, 0–1. */
  readonly progress: number;
}

/** The totals, and what a run learns from; one number per answer, batch by batch. */
export interface StoredTotals {
  readonly total: readonly number[];
  readonly credit: readonly number[];
}

/**
 * Totals of stored answers by a specification's rewards and composer; batches in their original order, since
 * a composer may learn from them. Null if the specification has no rewards, or if a value is missing.
 */
export const storedTotals = (spec: TotalSpec, batches: readonly StoredBatch[]): StoredTotals | null => {
  const named = namedRewards(spec.rewards);
  if (named.length === 0) return null;
  const composition: Composition = spec.composer
    ? openComposer(spec.composer, named)
    : { compose: (scored) => ({ total: weightedSum(named, scored) }) };
  const used = spec.composer ? named : named.filter(({ weight }) => weight !== 0);
  const made = batches.map(({ scores, groups, progress }) => {
    const values = Object.fromEntries(
      used.map(({ name }) => [name, Float64Array.from(scores, (row) => row[name] ?? Number.NaN)]),
    );
    return composition.compose({
      values,
      groups: [...Map.groupBy(groups.keys(), (r) => groups[r]).values()],
      rows: scores.length,
      progress,
    });
  });
  const total = made.flatMap((each) => [...each.total]);
  const credit = made.flatMap((each) => [...(each.credit ?? each.total)]);
  return [...total, ...credit].every(Number.isFinite) ? { total, credit } : null;
};
