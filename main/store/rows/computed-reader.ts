import type { DatasetRow } from '../../../preload/contract/datasets.ts';
import type { Db } from '../database.ts';
import { fromRow, type StoredRow } from '../dataset-row.ts';
import { fromJson } from '../json.ts';
import { partOf, partRows } from './part.ts';
import { readCells, type Cell } from './computed-cells.ts';
import { heldColumns, type HeldColumn } from './computed.ts';

/** Most parts kept in memory by one reader. */
const mostParts = 64;

type Extra = Readonly<Record<string, unknown>>;

/** Adds the cells of computed columns to rows. */
export class ComputedReader {
  readonly #db: Db;
  readonly columns: readonly HeldColumn[];
  readonly #parts = new Map<string, Float64Array | readonly Cell[] | null>();

  constructor(db: Db, columns: readonly HeldColumn[]) {
    this.#db = db;
    this.columns = columns;
  }

  /** The row's cells by the names of their columns; null if it has none. */
  cellsOf(row: number): Extra | null {
    const cells = this.columns.flatMap((column): [string, Cell][] => {
      const cell = this.#part(column, partOf(row))?.[row % partRows] ?? null;
      return cell === null || Number.isNaN(cell) ? [] : [[column.name, cell]];
    });
    return cells.length > 0 ? Object.fromEntries(cells) : null;
  }

  /** A stored row as the contract has it, with its computed cells among the extra ones. */
  row(stored: StoredRow): DatasetRow {
    const row = fromRow(stored);
    const own = this.columns.length > 0 ? this.cellsOf(stored.row) : null;
    return own ? { ...row, extra: { ...row.extra, ...own } } : row;
  }

  /** The JSON of a row's extra cells, the computed ones included. */
  extra(row: number, extra: string | null): string | null {
    const own = this.columns.length > 0 ? this.cellsOf(row) : null;
    return own ? JSON.stringify({ ...(extra === null ? {} : fromJson<Extra>(extra)), ...own }) : extra;
  }

  #part(column: HeldColumn, part: number): Float64Array | readonly Cell[] | null {
    const key = `${column.event}/${column.at}/${part}`;
    const known = this.#parts.get(key);
    if (known !== undefined) return known;
    const read = readCells(this.#db, column, part);
    if (this.#parts.size >= mostParts) this.#parts.clear();
    this.#parts.set(key, read);
    return read;
  }
}

/** A reader of the columns that hold now. */
export const computedReader = (db: Db, id: string): ComputedReader =>
  new ComputedReader(db, heldColumns(db, id));
