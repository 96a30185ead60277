import { staged, type Db } from './database.ts';
import { abandonLeftovers } from './curation/steps.ts';
import { endImports } from './labels/import-steps.ts';
import { fillParts } from './rows/fill.ts';
import { indexRows } from './row-search.ts';
import type { Sliced } from './slices.ts';

/** Number of rows deleted in one transaction. */
const some = 200;

/**
 * Statements that delete the dependent rows of a dataset, a label set and a run, in order; each deletes some
 * rows of the given owner.
 */
const chunk = (table: string, owner: string): string =>
  `delete from ${table} where rowid in (select rowid from ${table} where ${owner} = :id limit ${some})`;
const points = (table: string, key: string): string => `
  delete from ${table} where (series_id, attempt, ${key}) in (
    select x.series_id, x.attempt, x.${key} from metric_series s join ${table} x on x.series_id = s.id where s.run_id = :id limit ${some})`;

const parts = {
  datasets: [
    'delete from prompt_rows where (number, prompt_id, row) in (select p.number, p.prompt_id, p.row from dataset_numbers n ' +
      `join prompt_rows p on p.number = n.number where n.dataset_id = :id limit ${some})`,
    chunk('dataset_rows', 'dataset_id'),
    chunk('dataset_rejected', 'dataset_id'),
    'delete from curation_cells where (event, row, field) in (select c.event, c.row, c.field from curation_events e ' +
      `join curation_cells c on c.event = e.sequence where e.dataset_id = :id limit ${some})`,
    'delete from row_columns where rowid in (select c.rowid from dataset_numbers n ' +
      `join row_columns c on c.number = n.number where n.dataset_id = :id limit ${some})`,
  ],
  label_sets: [
    chunk('pairs', 'set_id'),
    'delete from import_labels where (import_id, place) in (select l.import_id, l.place from label_imports i ' +
      `join import_labels l on l.import_id = i.id where i.set_id = :id limit ${some})`,
  ],
  runs: [
    'delete from sample_search where rowid in (select f.rowid from sampled_runs n join sample_search f ' +
      `on f.rowid >= n.number << 32 and f.rowid < (n.number + 1) << 32 where n.run_id = :id limit ${some})`,
    'delete from sample_columns where rowid in (select c.rowid from sampled_runs n ' +
      `join sample_columns c on c.number = n.number where n.run_id = :id limit ${some})`,
    chunk('trajectories', 'run_id'),
    points('metric_points', 'sequence'),
    points('metric_batches', 'sequence'),
    points('metric_levels', 'height, first_sequence'),
    points('metric_chunks', 'first_sequence'),
    chunk('metric_series', 'run_id'),
    'delete from results where (run_id, attempt, sequence) in (select run_id, attempt, sequence from ' +
      `results where run_id = :id limit ${some})`,
    chunk('checkpoints', 'run_id'),
    'delete from inspected_pairs where (run_id, attempt, position) in (select run_id, attempt, position from ' +
      `inspected_pairs where run_id = :id limit ${some})`,
    chunk('inspected_texts', 'run_id'),
  ],
} as const;

/**
 * Deletes invisible rows that are not in the making, some at a time: removed ones, and those left by a crash.
 * Continues imports of labels, and takes back changes of rows, that a crash has left unfinished. Then adds
 * imported rows to the columns and the index of queries. Throws the first error of a change that could not be
 * taken back, after all else is done.
 */
export function* sweep(db: Db, making: ReadonlySet<string>): Sliced<void> {
  for (const table of ['label_sets', 'datasets', 'runs'] as const) {
    const removed = db.prepare<[], { id: string }>(`select id from ${table} where visible = 0`).all();
    for (const { id } of removed.filter((each) => !making.has(each.id))) {
      for (const sql of parts[table]) {
        const remove = db.prepare<{ id: string }>(sql);
        while (staged(db, () => remove.run({ id }).changes) > 0) yield;
      }
      staged(db, () => db.prepare(`delete from ${table} where id = ?`).run(id));
      yield;
    }
  }
  yield* sweepPicked(db, making);
  yield* endImports(db, making);
  const failures = yield* abandonLeftovers(db, making);
  yield* fillParts(db);
  yield* indexRows(db);
  if (failures.length > 0) throw failures[0];
}

/** Deletes temporary pairs of sets that are no longer being made. */
function* sweepPicked(db: Db, making: ReadonlySet<string>): Sliced<void> {
  const next = db.prepare<[string], { id: string | null }>(
    'select min(set_id) id from picked_pairs where set_id > ?',
  );
  const remove = db.prepare<[string]>(`
    delete from picked_pairs where (set_id, place, a, b) in (select set_id, place, a, b from picked_pairs where set_id = ? limit ${some})`);
  for (let id = next.get('')?.id ?? null; id !== null; id = next.get(id)?.id ?? null) {
    if (making.has(id)) continue;
    while (remove.run(id).changes > 0) yield;
  }
}
