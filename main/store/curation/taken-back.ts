import type { Db } from '../database.ts';
import { cellWrites } from './log.ts';

/**
 * Rows whose cells were written and taken back by a change that was cancelled, which leaves no step, with the
 * number of writes of their dataset after that. Kept in memory only: whatever reads the rows meanwhile ends
 * with the process.
 */
const takenBack = new WeakMap<Db, Map<string, Map<number, number>>>();

/** Notes that the rows of an unfinished change have their former values again. */
export function noteTakenBack(db: Db, id: string, event: number): void {
  const datasets = takenBack.get(db) ?? new Map<string, Map<number, number>>();
  takenBack.set(db, datasets);
  const rows = datasets.get(id) ?? new Map<number, number>();
  datasets.set(id, rows);
  const writes = cellWrites(db, id);
  const changed = db
    .prepare<[number], number>('select distinct row from curation_cells where event = ?')
    .pluck();
  for (const row of changed.iterate(event)) rows.set(row, writes);
}

/** Rows that had other values for a while, after so many writes of the dataset. */
export const takenBackSince = (db: Db, id: string, writes: number): number[] =>
  [...(takenBack.get(db)?.get(id) ?? [])].flatMap(([row, at]) => (at > writes ? [row] : []));
