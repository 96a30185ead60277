import type { Db } from '../database.ts';

/** The dataset whose rows a run's pairs are made of, and the label set that decided them; null without one. */
export interface PairSource {
  readonly datasetId: string | null;
  readonly setId: string | null;
}

/** Source of the pairs of a run; a dataset or label set that was removed counts as none. */
export function sourceOf(db: Db, runId: string): PairSource {
  const input = db
    .prepare<[string], { kind: string; ref: string }>(
      "select kind, ref from run_inputs where run_id = ? and evaluation = '' and kind in ('dataset', 'label-set') limit 1",
    )
    .get(runId);
  const isThere = (id: string | null): string | null =>
    id !== null && db.prepare<[string]>('select 1 from datasets where id = ? and visible = 1').get(id)
      ? id
      : null;
  if (input?.kind === 'dataset') return { datasetId: isThere(input.ref), setId: null };
  const set =
    input &&
    db
      .prepare<[string], { id: string; dataset_id: string | null }>(
        'select id, dataset_id from label_sets where id = ? and visible = 1',
      )
      .get(input.ref);
  return { datasetId: isThere(set?.dataset_id ?? null), setId: set?.id ?? null };
}

/** Numbers of the rows of a pair's chosen and rejected answer. */
export type RowsOfPair = readonly [chosen: number, rejected: number];

/**
 * A function that finds the rows of a pair by its id and the number of its verdict; null for a pair whose rows
 * are unknown: of a world, a run's samples, or decisions that imply pairs.
 */
export function rowFinder(
  db: Db,
  { datasetId, setId }: PairSource,
): (pairId: string, verdict: number) => RowsOfPair | null {
  if (datasetId === null) return () => null;
  if (setId === null)
    return (pairId) => {
      // the pairs of a dataset are named by their right and wrong row
      const match = /^(\d+)-(\d+)$/.exec(pairId);
      return match && [Number(match[1]), Number(match[2])];
    };
  const origins = db.prepare<[string], { origin_a: string; origin_b: string }>(
    'select origin_a, origin_b from pairs where id = ?',
  );
  return (pairId, verdict) => {
    const row = origins.get(pairId);
    if (!row || !/^\d+$/.test(row.origin_a) || !/^\d+$/.test(row.origin_b)) return null;
    const [a, b] = [Number(row.origin_a), Number(row.origin_b)];
    return verdict === 1 ? [b, a] : [a, b];
  };
}
