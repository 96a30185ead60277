import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { ColumnDefinition } from '../../../preload/contract/columns.ts';
import type { CurationEvent } from '../../../preload/contract/curation.ts';
import { builtInColumns } from '../../../preload/wire/query.ts';
import { columnNames, columnText } from '../../../preload/wire/column-text.ts';
import type { StoreContext } from '../context.ts';
import { cellWrites, numberOf, refuseWhileChanging, shownEvent, storeEvent } from './log.ts';
import { makingKey } from './steps.ts';
import { takenBackSince } from './taken-back.ts';
import type { Db } from '../database.ts';
import { toJson } from '../json.ts';
import { openTable } from '../rows/index.ts';
import { partRows } from '../rows/part.ts';
import type { Sliced } from '../slices.ts';
import { cellsIn, storedPart, type StoredCells } from '../rows/computed-cells.ts';
import { heldColumns } from '../rows/computed.ts';

/** State of a dataset before its rows are read: its newest step, and the number of writes to its cells. */
export interface Since {
  readonly step: number;
  readonly writes: number;
}
/** A column to store; `since`: before its rows were read. */
export interface NewColumn {
  readonly name: string;
  readonly definition: ColumnDefinition;
  readonly query: string;
  readonly author: string;
  readonly since: Since;
}
/** The stored step, null without a cell; `outdated`: cells left out since their rows were edited meanwhile. */
export interface StoredColumn {
  readonly event: CurationEvent | null;
  readonly outdated: number;
}

const refused = (name: string, what: string): WhetstoneError =>
  new WhetstoneError('invalid-input', what, { where: name, hint: 'Choose another name.' });

/** Computed columns of datasets: stored as one step of their curation. */
export const computedQueries = (context: StoreContext) => {
  const { db, making } = context;
  return {
    /** The columns that hold. */
    list: (id: string): { event: number; name: string; definition: ColumnDefinition }[] => {
      numberOf(db, id);
      return heldColumns(db, id).map(({ event, name, definition }) => ({ event, name, definition }));
    },

    /**
     * Refuses a name that a query or a file's column has; that of a computed column is taken over. Returns the
     * state after which rows are read. Throws `conflict` while a change is not finished.
     */
    *prepare(id: string, name: string, definition?: ColumnDefinition): Sliced<Since> {
      numberOf(db, id);
      // rows of an unfinished change are half old, half new
      refuseWhileChanging(db, id);
      const table = yield* openTable(db, id);
      const held = heldColumns(db, id).map((column) => column.name.toLowerCase());
      for (const own of columnNames(name, definition ?? { by: 'code' })) {
        const lower = own.toLowerCase();
        if (
          lower in builtInColumns ||
          ['is', 'has', 'excluded'].includes(lower) ||
          lower.startsWith('extra.')
        )
          throw refused(own, `'${own}' means something else in queries.`);
        if (!held.includes(lower) && table.extras.some((extra) => extra.toLowerCase() === lower))
          throw refused(own, `The file has a column '${own}', which is not replaced.`);
      }
      return { step: newestStep(db, id), writes: cellWrites(db, id) };
    },

    /** Stores a column in one step. Throws `conflict` while another change is not finished. */
    *add(id: string, column: NewColumn, parts: readonly StoredCells[]): Sliced<StoredColumn> {
      numberOf(db, id);
      const { kept, rows, outdated } = yield* unchanged(db, id, column.since, parts);
      if (rows === 0) return { event: null, outdated };
      refuseWhileChanging(db, id);
      const sequence = storeEvent(db, eventOf(id, column, rows), false);
      making.add(makingKey(sequence));
      try {
        db.prepare('insert into computed_columns values (?, ?, ?, ?)').run(
          sequence,
          id,
          column.name,
          toJson(column.definition),
        );
        const insert = db.prepare('insert into computed_cells values (?, ?, ?, ?)');
        for (const { part, kind, data } of kept) {
          insert.run(sequence, part, kind, data);
          yield;
        }
        db.prepare('update curation_events set visible = 1 where sequence = ?').run(sequence);
      } catch (error) {
        db.prepare('delete from curation_events where sequence = ? and visible = 0').run(sequence);
        throw error;
      } finally {
        making.delete(makingKey(sequence));
      }
      return { event: shownEvent(db, sequence), outdated };
    },
  };
};

const eventOf = (id: string, { name, definition, query, author }: NewColumn, rows: number) => ({
  dataset_id: id,
  event: 'edit' as const,
  field: name,
  value: columnText(definition),
  undoes: null,
  author,
  query,
  rows,
});

const newestStep = (db: Db, id: string): number =>
  db
    .prepare<[string], number | null>('select max(sequence) from curation_events where dataset_id = ?')
    .pluck()
    .get(id) ?? 0;

/** The rows of which a cell was changed since, by an undo too, or by a change that was cancelled. */
const editedSince = (db: Db, id: string, { step, writes }: Since): Set<number> =>
  new Set([
    ...db
      .prepare<[string, number], number>(
        `select distinct c.row from curation_events e join curation_cells c on c.event = coalesce(e.undoes, e.sequence)
         where e.dataset_id = ? and e.sequence > ? and c.field <> 'note'`,
      )
      .pluck()
      .all(id, step),
    ...takenBackSince(db, id, writes),
  ]);

/** The parts without the cells of rows that were edited since, compared again if cells are written meanwhile. */
function* unchanged(db: Db, id: string, since: Since, parts: readonly StoredCells[]) {
  for (;;) {
    const writes = cellWrites(db, id);
    const found = yield* withoutEdited(parts, editedSince(db, id, since));
    if (cellWrites(db, id) === writes) return found;
  }
}

/** Rows of a part with a cell: columns that are computed in one step have theirs in the same rows. */
const filledRows = (cells: readonly unknown[]): number =>
  cells.slice(0, partRows).filter((cell) => cell !== null).length;

/** The parts without the cells of edited rows, and the number of cells left. */
function* withoutEdited(
  parts: readonly StoredCells[],
  edited: ReadonlySet<number>,
): Sliced<{ kept: StoredCells[]; rows: number; outdated: number }> {
  let [rows, outdated] = [0, 0];
  const kept: StoredCells[] = [];
  for (const stored of parts) {
    const cells = [...cellsIn(stored)].map((cell) => (Number.isNaN(cell) ? null : cell));
    const filled = filledRows(cells);
    const left = cells.map((cell, i) => (edited.has(stored.part * partRows + (i % partRows)) ? null : cell));
    const count = filledRows(left);
    rows += count;
    outdated += filled - count;
    if (count > 0) kept.push(count === filled ? stored : storedPart(stored.part, left));
    yield;
  }
  return { kept, rows, outdated };
}
