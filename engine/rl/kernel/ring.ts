/** Rows of a role in a ring: the newest ones, each written over the oldest. */
import { WhetstoneError } from '../../common/errors.ts';
import type { ColumnValue, PerToken, TokenValues } from './columns.ts';
import { isPerToken, observedRow, rowOf, tableRows, type Table } from './rows.ts';

/** Column of a row's number, counted over the whole run; row n is in slot n modulo the capacity. */
export const SERIAL = 'row/serial';

/**
 * At most `capacity` rows of one length in arrays that are made once: adding n rows writes n rows, and a
 * column is a view of the arrays, so that the cost of a batch depends on the rows that it writes and draws,
 * not on the capacity. The rows are in the order of their slots, not of their age.
 */
export class Ring {
  readonly #capacity: number;
  #columns: Table = {};
  #written = 0;

  /** `saved`: the table of an earlier ring; of more rows than there is room for, the newest stay. */
  constructor(capacity: number, saved: Table = {}) {
    this.#capacity = capacity;
    const serials = saved[SERIAL] as Float64Array | undefined;
    if (!serials || serials.length === 0) return;
    const rows = Object.fromEntries(Object.entries(saved).filter(([name]) => name !== SERIAL));
    this.#make(rows);
    const kept = [...serials.keys()].sort((a, b) => serials[a] - serials[b]).slice(-capacity);
    // in a larger ring they are the first ones, so that no slot before them is empty
    const first = kept.length < capacity ? serials[kept[0]] : 0;
    for (const r of kept) this.#write(rows, r, serials[r] - first);
    this.#written = serials[kept[kept.length - 1]] - first + 1;
  }

  get rows(): number {
    return Math.min(this.#written, this.#capacity);
  }

  /** Adds rows. Throws `internal` for rows of another length, and for columns that are no numbers. */
  push(rows: Table): void {
    const count = tableRows(rows);
    if (count === 0) return;
    if (this.#written === 0) this.#make(rows);
    for (let r = Math.max(0, count - this.#capacity); r < count; r++) this.#write(rows, r, this.#written + r);
    this.#written += count;
  }

  /** Writes numbers of rows over those in a column; rows that have been written over since are left out. */
  rewrite(name: string, serials: Float64Array, values: Float64Array): void {
    const column = this.#columns[name] as Float64Array | undefined;
    if (!column) return;
    const stored = this.#columns[SERIAL] as Float64Array;
    serials.forEach((serial, r) => {
      const slot = serial % this.#capacity;
      if (stored[slot] === serial) column[slot] = values[r];
    });
  }

  /** A view of a column's rows; undefined while there are none. */
  column(name: string): ColumnValue | undefined {
    const column = this.rows === 0 ? undefined : this.#columns[name];
    if (column === undefined) return undefined;
    const { rows } = this;
    if (!isPerToken(column)) return (column as Float64Array).subarray(0, rows);
    const { values, offsets, observed } = column as PerToken;
    const tokens = offsets[rows];
    return {
      axis: 'T',
      values: values.subarray(0, tokens),
      offsets: offsets.subarray(0, rows + 1),
      ...(observed && {
        observed: { ...observed, values: observed.values.subarray(0, tokens * observed.width) },
      }),
    };
  }

  /** Views of all columns, with the rows' numbers; a table without columns while there are no rows. */
  table(): Table {
    return Object.fromEntries(
      Object.keys(this.#columns).flatMap((name): [string, ColumnValue][] => {
        const column = this.column(name);
        return column ? [[name, column]] : [];
      }),
    );
  }

  #make(rows: Table): void {
    const empty = Object.entries(rows).map(([name, column]) => [name, roomFor(column, name, this.#capacity)]);
    this.#columns = {
      ...(Object.fromEntries(empty) as Table),
      [SERIAL]: new Float64Array(this.#capacity).fill(-1),
    };
  }

  #write(rows: Table, r: number, serial: number): void {
    const slot = serial % this.#capacity;
    for (const [name, column] of Object.entries(rows))
      copyRow([column, r], [this.#columns[name], slot], name);
    (this.#columns[SERIAL] as Float64Array)[slot] = serial;
  }
}

/** A column for `capacity` rows of the length of this one's first. */
const roomFor = (column: ColumnValue, name: string, capacity: number): ColumnValue => {
  if (!isPerToken(column)) {
    if (column instanceof Float64Array) return new Float64Array(capacity);
    throw new WhetstoneError('internal', `'${name}' has no numbers, which a ring could hold.`);
  }
  const { values, offsets, observed } = column as PerToken;
  const length = offsets[1] - offsets[0];
  const make = values.constructor as new (length: number) => Float32Array;
  return {
    axis: 'T',
    values: new make(capacity * length),
    offsets: Uint32Array.from({ length: capacity + 1 }, (_, r) => r * length),
    ...(observed && {
      observed: { ...observed, values: new Float32Array(capacity * length * observed.width) },
    }),
  };
};

type Place = readonly [column: ColumnValue, row: number];

const copyRow = ([from, r]: Place, [to, slot]: Place, name: string): void => {
  if (!isPerToken(from) || !isPerToken(to)) {
    (to as Float64Array)[slot] = (from as Float64Array)[r];
    return;
  }
  const row = rowOf<TokenValues>(from, r);
  const at = to.offsets[slot];
  if (row.length !== to.offsets[slot + 1] - at)
    throw new WhetstoneError('internal', `Rows of '${name}' differ in length, which a ring cannot hold.`);
  to.values.set(row, at);
  const { observed } = to as PerToken;
  observed?.values.set(observedRow(from as PerToken, r), at * observed.width);
};
