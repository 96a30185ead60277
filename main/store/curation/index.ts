import type { CurationEvent, RowStep } from '../../../preload/contract/curation.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import { found, type StoreContext } from '../context.ts';
import type { Db } from '../database.ts';
import { stored } from '../dataset-row.ts';
import { toJson } from '../json.ts';
import { Bits } from '../rows/bits.ts';
import { matchingRows, queryOf } from '../rows/search.ts';
import { openTable } from '../rows/index.ts';
import { sizeOf } from '../rows/fill.ts';
import type { Sliced } from '../slices.ts';
import { writeCells, type CellEdit, type Changed } from './cells.ts';
import type { DatasetRow } from '../../../preload/contract/datasets.ts';
import {
  eventOf,
  historyOf,
  numberOf,
  refuseWhileChanging,
  shownEvent,
  stacksOf,
  stepsOfRow,
  storeEvent,
  type NewEvent,
} from './log.ts';
import { isToggled, markedRows, toggleAgain, toggleMark } from './marks.ts';
import {
  abandon,
  abandonLeftovers,
  cellsLeft,
  finish,
  makingKey,
  repeatCells,
  stepCells,
  stepEdits,
  type Edit,
  type RowEdit,
} from './steps.ts';

/** Who makes a change, and the query that chose its rows. */
export interface By {
  readonly author: string;
  readonly query: string | null;
}
/** Rows of a dataset as the words of their bit set. */
export interface Selection {
  readonly size: number;
  readonly words: Uint32Array<ArrayBuffer>;
  readonly count: number;
}
/** Marks that are switched on or off by an event of this kind. */
const switches = {
  exclude: { kind: '', isOn: true },
  restore: { kind: '', isOn: false },
  tag: { kind: 'tag:', isOn: true },
  untag: { kind: 'tag:', isOn: false },
  flag: { kind: 'flag:', isOn: true },
  unflag: { kind: 'flag:', isOn: false },
} as const;
export type Switch = keyof typeof switches;

const blank = { field: null, value: null, undoes: null, query: null, rows: 0 } as const;

/** Changes of the rows of datasets: an append-only log, and the state that follows from it. */
export const curationQueries = (context: StoreContext) => {
  const { db, tidy } = context;
  const changedOf = (id: string): Changed => ({ db, id, number: numberOf(db, id) });
  const step = (id: string, which: 'undo' | 'redo', author: string): { target: number; event: NewEvent } => {
    const { applied, undone } = stacksOf(db, id);
    const target = (which === 'undo' ? applied : undone).at(-1);
    if (target === undefined)
      throw new WhetstoneError('not-found', `There is nothing to ${which}.`, { where: id });
    const { field, value, rows } = eventOf(db, target);
    return {
      target,
      event: { ...blank, dataset_id: id, event: which, undoes: target, author, field, value, rows },
    };
  };

  return {
    /** The rows that match a query. */
    *select(id: string, query: string): Sliced<Selection> {
      const table = yield* openTable(db, id);
      const { size, words, count } = yield* matchingRows(table, queryOf(query), query);
      return { size, words, count };
    },

    /** Excludes, restores, tags or flags rows in one step; null if all of them were so already. */
    mark(
      id: string,
      change: { event: Switch; value: string | null },
      rows: Selection | readonly number[],
      by: By,
    ): CurationEvent | null {
      const number = numberOf(db, id);
      refuseWhileChanging(db, id);
      const { kind, isOn } = switches[change.event];
      const name = kind === '' ? 'excluded' : kind + (change.value ?? '');
      const target = 'words' in rows ? new Bits(rows.size, rows.words) : existing(db, id, rows);
      const before = markedRows(db, number, name, target.size);
      const toggled = isOn ? target.without(before) : target.and(before);
      if (toggled.isEmpty) return null;
      const sequence = db.transaction(() => {
        const event = { ...blank, ...change, ...by, dataset_id: id, rows: toggled.count };
        const made = storeEvent(db, event, true);
        toggleMark(db, number, made, name, toggled);
        return made;
      })();
      return shownEvent(db, sequence);
    },

    /** Takes back what a crash has left unfinished in a dataset: a change of it can start after it. */
    *settle(id: string): Sliced<void> {
      const failures = yield* abandonLeftovers(db, context.making, id);
      if (failures.length > 0) throw failures[0];
    },

    /** Starts a change of cells, which `editRows` continues and `finish` ends. */
    begin(id: string, event: Pick<NewEvent, 'event' | 'field' | 'value'>, by: By): number {
      numberOf(db, id);
      refuseWhileChanging(db, id);
      const sequence = storeEvent(db, { ...blank, ...event, ...by, dataset_id: id }, false);
      context.making.add(makingKey(sequence));
      return sequence;
    },

    /** Edits a column, or the note, of these rows as a part of an event. Returns how many of them changed. */
    editRows(id: string, event: number, rows: readonly number[], edit: Edit): Sliced<number> {
      return stepCells(changedOf(id), event, rows, edit);
    },

    /** Edits some rows, each in its own way, as a part of an event. Returns how many rows changed. */
    editEach(id: string, event: number, edits: readonly RowEdit[]): Sliced<number> {
      return stepEdits(changedOf(id), event, edits);
    },

    /** Completes an event; null, and no event, if it changed nothing. */
    finish(sequence: number): CurationEvent | null {
      context.making.delete(makingKey(sequence));
      const isKept = finish(db, sequence);
      tidy();
      return isKept ? shownEvent(db, sequence) : null;
    },

    /** Takes an unfinished event back. */
    *abandon(sequence: number): Sliced<void> {
      context.making.delete(makingKey(sequence));
      yield* abandon(db, sequence);
      tidy();
    },

    /**
     * Undoes or repeats a step. One of marks is done at once; for one of cells, `event` is unfinished, and
     * `repeat` continues it.
     */
    startStep(
      id: string,
      which: 'undo' | 'redo',
      author: string,
    ): { event: number; cells: number; rows: number } {
      const number = numberOf(db, id);
      refuseWhileChanging(db, id);
      const { target, event } = step(id, which, author);
      const cells = cellsLeft(db, target);
      const sequence = db.transaction(() => {
        const made = storeEvent(db, event, cells === 0);
        if (cells === 0) toggleAgain(db, number, target);
        return made;
      })();
      if (cells > 0) context.making.add(makingKey(sequence));
      return { event: sequence, cells, rows: event.rows };
    },

    /** Continues an undo or redo of cells after this row. Returns the last row done, null at the end. */
    repeat(id: string, sequence: number, after: number): Sliced<number | null> {
      return repeatCells(changedOf(id), sequence, after);
    },

    /** Adds a row by hand, and returns its number. */
    add(id: string, row: Omit<DatasetRow, 'row' | 'line'>, author: string): number {
      const changed = changedOf(id);
      refuseWhileChanging(db, id);
      const number = db.transaction(() => {
        const event = { ...blank, dataset_id: id, event: 'add' as const, author, rows: 1 };
        const sequence = storeEvent(db, event, true);
        const at = nextRow(db, id);
        const after = toJson(stored({ ...row, row: at, line: 0 }));
        db.prepare('insert into curation_cells values (?, ?, ?, null, ?)').run(sequence, at, '*', after);
        writeCells(changed, at, [{ field: '*', to: after }]);
        return at;
      })();
      tidy();
      return number;
    },

    event: (sequence: number): CurationEvent => shownEvent(db, sequence),

    /** Steps of a dataset, newest first. */
    history(id: string, before: number | null = null): CurationEvent[] {
      numberOf(db, id);
      return historyOf(db, id, before);
    },

    /** The steps that changed a row, newest first. */
    row(id: string, row: number): RowStep[] {
      numberOf(db, id);
      return stepsOfRow(db, id, row, (event) => isToggled(db, event, row));
    },
  };
};

/** The rows of these that exist. Throws `not-found` if one does not. */
function existing(db: Db, id: string, rows: readonly number[]): Bits {
  const bits = new Bits(sizeOf(db, id));
  const one = db.prepare<[string, number], number>(
    'select row from dataset_rows where dataset_id = ? and row = ?',
  );
  for (const row of rows) {
    found(one.get(id, row), 'row', `row ${row}`);
    bits.add(row);
  }
  return bits;
}

/** A number that no row has or had: that of a row that was taken out again is not given to another. */
const nextRow = (db: Db, id: string): number =>
  Math.max(
    sizeOf(db, id),
    1 +
      (db
        .prepare<[string], number | null>(
          `select max(c.row) from curation_events e join curation_cells c on c.event = e.sequence
           where e.dataset_id = ? and e.event = 'add'`,
        )
        .pluck()
        .get(id) ?? -1),
  );

export type { CellEdit };
