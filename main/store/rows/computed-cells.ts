import type { Db } from '../database.ts';
import { partRows } from './part.ts';

/** A computed cell; null: none. */
export type Cell = number | string | boolean | null;

/** Stored cells of one part, of one column or several: float64 numbers, NaN for none; or JSON. */
export interface StoredCells {
  readonly part: number;
  readonly kind: 'number' | 'json';
  readonly data: Uint8Array;
}

/** The parts of columns that have a cell; cells by row, those of one column after those of another. */
export function storedCells(...columns: readonly (readonly Cell[])[]): StoredCells[] {
  const parts: StoredCells[] = [];
  const rows = Math.max(...columns.map(({ length }) => length));
  for (let from = 0; from < rows; from += partRows) {
    const own = columns.flatMap((cells) =>
      Array.from({ length: partRows }, (_none, i) => cells[from + i] ?? null),
    );
    if (own.some((cell) => cell !== null)) parts.push(storedPart(from / partRows, own));
  }
  return parts;
}

export function storedPart(part: number, cells: readonly Cell[]): StoredCells {
  if (cells.every((cell) => cell === null || typeof cell === 'number')) {
    const numbers = Float64Array.from(cells, (cell) => (cell === null ? Number.NaN : Number(cell)));
    return { part, kind: 'number', data: new Uint8Array(numbers.buffer) };
  }
  return { part, kind: 'json', data: new Uint8Array(Buffer.from(JSON.stringify(cells))) };
}

/** The numbers of a part, NaN for none, or its cells. */
export function cellsIn({ kind, data }: Pick<StoredCells, 'kind' | 'data'>): Float64Array | readonly Cell[] {
  if (kind === 'json') return JSON.parse(Buffer.from(data).toString('utf8')) as Cell[];
  return new Float64Array(
    data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength) as ArrayBuffer,
  );
}

/** One part of the `at`-th column of a step; null if it has no cell there. */
export const readCells = (
  db: Db,
  { event, at }: { readonly event: number; readonly at: number },
  part: number,
): Float64Array | readonly Cell[] | null => {
  const stored = db
    .prepare<[number, number], { kind: 'number' | 'json'; data: Buffer }>(
      'select kind, data from computed_cells where event = ? and part = ?',
    )
    .get(event, part);
  if (!stored) return null;
  const cells = cellsIn(stored);
  return cells.length === partRows ? cells : cells.slice(at * partRows, (at + 1) * partRows);
};

/** The parts in which a column has cells. */
export const filledParts = (db: Db, event: number): number[] =>
  db
    .prepare<[number], number>('select part from computed_cells where event = ? order by part')
    .pluck()
    .all(event);
