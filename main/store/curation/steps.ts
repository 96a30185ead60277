import { WhetstoneError } from '../../../engine/common/errors.ts';
import { heldColumns } from '../rows/computed.ts';
import { storeError, type Db } from '../database.ts';
import { found } from '../context.ts';
import type { Sliced } from '../slices.ts';
import {
  editOf,
  extraColumns,
  rowOf,
  writeCells,
  type CellChange,
  type CellEdit,
  type Changed,
} from './cells.ts';
import { eventOf, type StoredEvent } from './log.ts';
import { noteTakenBack } from './taken-back.ts';

/** A change of cells: of a column, or of the note (null removes it). */
export type Edit = CellEdit | { readonly note: string | null };

/** Rows changed in one transaction. */
const some = 50;

/** Protects an unfinished event from the sweep, which takes those of a crash back. */
export const makingKey = (sequence: number): string => `curation/${sequence}`;

/** Edits rows as a part of an event, and logs their cells. Returns how many rows changed. */
export function* stepCells(
  changed: Changed,
  event: number,
  rows: readonly number[],
  edit: Edit,
): Sliced<number> {
  return yield* stepEdits(
    changed,
    event,
    rows.map((row) => ({ row, edit })),
  );
}

/** An edit of one row. */
export interface RowEdit {
  readonly row: number;
  readonly edit: Edit;
}

/** Edits rows, each in its own way, as a part of an event. Returns how many rows changed. */
export function* stepEdits(changed: Changed, event: number, edits: readonly RowEdit[]): Sliced<number> {
  const { db } = changed;
  const log = db.prepare(
    'insert into curation_cells (event, row, field, before, after) values (?, ?, ?, ?, ?)',
  );
  const columns = new Set(edits.flatMap(({ edit }) => ('note' in edit ? [] : [edit.column])));
  const extras = columns.size === 0 ? [] : extraColumns(changed);
  for (const column of columns) refuseComputed(changed, column);
  let total = 0;
  /** Edits of one row follow each other, and count once. */
  let last = -1;
  for (let from = 0; from < edits.length; from += some) {
    total += db.transaction(() => {
      let count = 0;
      for (const { row, edit } of edits.slice(from, from + some)) {
        const cells = changesOf(changed, row, edit, extras);
        for (const { field, before, after } of cells) log.run(event, row, field, before, after);
        if (cells.length === 0) continue;
        writeCells(
          changed,
          row,
          cells.map(({ field, after }) => ({ field, to: after })),
        );
        count += Number(row !== last);
        last = row;
      }
      db.prepare('update curation_events set rows = rows + ? where sequence = ?').run(count, event);
      return count;
    })();
    yield;
  }
  return total;
}

/** Throws `invalid-input` for a computed column, whose cells follow from its definition. */
function refuseComputed({ db, id }: Changed, column: string): void {
  const lower = column.replace(/^extra\./i, '').toLowerCase();
  if (heldColumns(db, id).some(({ name }) => name.toLowerCase() === lower))
    throw new WhetstoneError(
      'invalid-input',
      `The column '${column}' is computed, so its cells are not edited.`,
      {
        where: column,
        hint: 'Compute it again, or write into a column of another name.',
      },
    );
}

/** The cells that an edit of a row changes. Throws `not-found` for a row that does not exist. */
function changesOf(changed: Changed, row: number, edit: Edit, extras: readonly string[]): CellChange[] {
  const stored = found(rowOf(changed, row), 'row', `row ${row}`);
  if (!('note' in edit)) return editOf(stored, edit, extras);
  const before =
    changed.db
      .prepare<[number, number], string>('select note from row_notes where number = ? and row = ?')
      .pluck()
      .get(changed.number, row) ?? null;
  return before === edit.note ? [] : [{ field: 'note', before, after: edit.note }];
}

/** Number of cells that an event changed. */
export const cellsLeft = (db: Db, event: number): number =>
  db.prepare<[number], number>('select count(*) from curation_cells where event = ?').pluck().get(event) ?? 0;

type Cell = CellChange & { row: number };

/** The cells of the next rows of an event, after a row; backwards to take them back. */
const nextCells = (db: Db, event: number, after: number): Cell[] =>
  db
    .prepare<[number, number, number, number, number], Cell>(
      `select row, field, before, after from curation_cells where event = ? and row > ? and row <= coalesce(
         (select max(row) from (select distinct row from curation_cells where event = ? and row > ? order by row limit ?)), -1)
       order by row`,
    )
    .all(event, after, event, after, some);

/** Writes the cells of an event again, or their former values. Returns the last row, null if there was none. */
function rewrite(changed: Changed, event: number, after: number, to: 'before' | 'after'): number | null {
  const cells = nextCells(changed.db, event, after);
  for (const [row, own] of Map.groupBy(cells, (cell) => cell.row))
    writeCells(
      changed,
      row,
      own.map((cell) => ({ field: cell.field, to: cell[to] })),
    );
  return cells.at(-1)?.row ?? null;
}

/** Most steps of a call, so that progress is seen and a cancellation noticed. */
const stepsOfCall = 20;

/** Continues an undo or redo after a row. Returns the last row done, null if it was the last of all. */
export function* repeatCells(changed: Changed, sequence: number, after: number): Sliced<number | null> {
  const { event, undoes } = eventOf(changed.db, sequence);
  const to = event === 'undo' ? 'before' : 'after';
  let last: number | null = after;
  for (let turn = 0; turn < stepsOfCall && last !== null; turn += 1, yield) {
    const from: number = last;
    last = changed.db.transaction(() => rewrite(changed, undoes ?? sequence, from, to))();
  }
  return last;
}

/** Makes an event complete; deletes one without a change. Returns whether it was kept. */
export function finish(db: Db, sequence: number): boolean {
  const { rows } = eventOf(db, sequence);
  if (rows > 0) db.prepare('update curation_events set visible = 1 where sequence = ?').run(sequence);
  else db.prepare('delete from curation_events where sequence = ? and visible = 0').run(sequence);
  return rows > 0;
}

/** Takes an unfinished event back: cells get the values from before it, and the event is deleted. */
export function* abandon(db: Db, sequence: number): Sliced<void> {
  const unfinished = db
    .prepare<[number], StoredEvent>('select * from curation_events where sequence = ? and visible = 0')
    .get(sequence);
  if (!unfinished) return;
  const { dataset_id: id, event, undoes } = unfinished;
  const number = db
    .prepare<[string], number>('select number from dataset_numbers where dataset_id = ?')
    .pluck()
    .get(id);
  if (number === undefined) return;
  // an interrupted undo has written former values, which its target's take back
  const to = event === 'undo' ? 'after' : 'before';
  for (let last: number | null = -1; last !== null; yield) {
    const from: number = last;
    last = db.transaction(() => rewrite({ db, id, number }, undoes ?? sequence, from, to))();
  }
  noteTakenBack(db, id, undoes ?? sequence);
  db.prepare('delete from curation_events where sequence = ? and visible = 0').run(sequence);
}

/**
 * Takes back the events that a crash has left unfinished, of one dataset or of all. One that fails does not
 * keep the others from it; the errors are returned.
 */
export function* abandonLeftovers(
  db: Db,
  making: ReadonlySet<string>,
  id: string | null = null,
): Sliced<WhetstoneError[]> {
  const left = db
    .prepare<[string | null, string | null], { sequence: number; dataset_id: string }>(
      'select sequence, dataset_id from curation_events where visible = 0 and (? is null or dataset_id = ?) ' +
        'order by sequence desc',
    )
    .all(id, id);
  const failures: WhetstoneError[] = [];
  for (const { sequence, dataset_id: dataset } of left) {
    if (making.has(makingKey(sequence))) continue;
    try {
      yield* abandon(db, sequence);
    } catch (error) {
      const failure = storeError(error, dataset);
      if (failure.kind === 'cancelled') throw failure;
      failures.push(failure);
    }
  }
  return failures;
}
