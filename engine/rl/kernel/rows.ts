import { WhetstoneError } from '../../common/errors.ts';
import type { ColumnValue, Observed, PerToken, TokenValues } from './columns.ts';
import type { Change } from './stage.ts';

/** The columns of one batch by name; every one has the same number of rows. */
export type Table = { readonly [name: string]: ColumnValue };

export const isPerToken = (
  column: ColumnValue,
): column is Exclude<ColumnValue, readonly unknown[] | Float64Array> => 'axis' in column;

export const rowCount = (column: ColumnValue): number =>
  isPerToken(column) ? column.offsets.length - 1 : column.length;

/** Rows of a table; 0 where it has no column yet. */
export const tableRows = (table: Table): number => {
  const first = Object.values(table)[0];
  return first === undefined ? 0 : rowCount(first);
};

/** Tokens of row r. */
export const rowOf = <V extends TokenValues>(column: PerToken<V>, r: number): V =>
  column.values.subarray(column.offsets[r], column.offsets[r + 1]) as V;

/** What is observed after each token of row r, token by token. */
export const observedRow = ({ observed, offsets }: PerToken<TokenValues>, r: number): Float32Array =>
  observed
    ? observed.values.subarray(offsets[r] * observed.width, offsets[r + 1] * observed.width)
    : new Float32Array(0);

/** The observations of rows, one behind the other. */
export const observedOf = (rows: readonly Float32Array[], width: number): Observed => {
  const values = new Float32Array(rows.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const row of rows) {
    values.set(row, at);
    at += row.length;
  }
  return { values, width };
};

export const lengthsOf = ({ offsets }: PerToken<TokenValues>): Uint32Array =>
  Uint32Array.from({ length: offsets.length - 1 }, (_, r) => offsets[r + 1] - offsets[r]);

export const offsetsFor = (lengths: ArrayLike<number>): Uint32Array => {
  const offsets = new Uint32Array(lengths.length + 1);
  for (let r = 0; r < lengths.length; r++) offsets[r + 1] = offsets[r] + lengths[r];
  return offsets;
};

/** Concatenates the values of all rows in an array made by `make`. */
export function ragged<V extends TokenValues>(
  rows: readonly ArrayLike<number>[],
  make: new (length: number) => V,
): PerToken<V>;
export function ragged<Row, V extends TokenValues>(
  rows: readonly Row[],
  make: new (length: number) => V,
  valuesOf: (row: Row, r: number) => ArrayLike<number>,
): PerToken<V>;
export function ragged<Row, V extends TokenValues>(
  rows: readonly Row[],
  make: new (length: number) => V,
  valuesOf = (row: Row, _r: number) => row as ArrayLike<number>,
): PerToken<V> {
  const lines = rows.map(valuesOf);
  const offsets = offsetsFor(lines.map((line) => line.length));
  const values = new make(offsets[lines.length]);
  lines.forEach((line, r) => values.set(line, offsets[r]));
  return { axis: 'T', values, offsets };
}

/** One number per row, written to those of its tokens in `mask`; 0 elsewhere. */
export const broadcast = (
  values_R: ArrayLike<number>,
  mask_RT: PerToken<Uint8Array>,
): PerToken<Float64Array> => {
  const values = new Float64Array(mask_RT.values.length);
  for (let r = 0; r < mask_RT.offsets.length - 1; r++) {
    for (let t = mask_RT.offsets[r]; t < mask_RT.offsets[r + 1]; t++)
      values[t] = mask_RT.values[t] ? values_R[r] : 0;
  }
  return { axis: 'T', values, offsets: mask_RT.offsets };
};

/** Sum of each row's tokens where `mask` is 1. */
export const maskedSums = (values_RT: PerToken<TokenValues>, mask_RT: PerToken<Uint8Array>): Float64Array => {
  const sums = new Float64Array(mask_RT.offsets.length - 1);
  for (let r = 0; r < sums.length; r++) {
    for (let t = mask_RT.offsets[r]; t < mask_RT.offsets[r + 1]; t++)
      if (mask_RT.values[t]) sums[r] += values_RT.values[t];
  }
  return sums;
};

/** Number of tokens of each row where `mask` is 1. */
export const maskedCounts = (mask_RT: PerToken<Uint8Array>): Float64Array =>
  maskedSums({ ...mask_RT, values: new Float64Array(mask_RT.values.length).fill(1) }, mask_RT);

/** Rows of a column in a new order, repeated or dropped. */
export const gather = <C extends ColumnValue>(column: C, from_R: Uint32Array): C =>
  gatherAny(column, from_R) as C;

const gatherAny = (column: ColumnValue, from_R: Uint32Array): ColumnValue => {
  if (isPerToken(column)) {
    const offsets = offsetsFor(Array.from(from_R, (r) => column.offsets[r + 1] - column.offsets[r]));
    const values = new (column.values.constructor as new (length: number) => TokenValues)(
      offsets[from_R.length],
    );
    from_R.forEach((from, r) => values.set(rowOf<TokenValues>(column, from), offsets[r]));
    const { observed } = column as PerToken;
    return {
      axis: 'T',
      values,
      offsets,
      ...(observed && {
        observed: observedOf(
          Array.from(from_R, (r) => observedRow(column, r)),
          observed.width,
        ),
      }),
    } as ColumnValue;
  }
  if (column instanceof Float64Array) return Float64Array.from(from_R, (r) => column[r]);
  return Array.from(from_R, (r) => column[r]) as readonly unknown[] as ColumnValue;
};

export const gatherTable = (table: Table, from_R: Uint32Array): Table =>
  Object.fromEntries(Object.entries(table).map(([name, column]) => [name, gather(column, from_R)]));

/** Appends rows of one column to those of another of the same kind. */
const append = (a: ColumnValue, b: ColumnValue): ColumnValue => {
  if (isPerToken(a) && isPerToken(b)) {
    const rows = [a, b].flatMap((column) =>
      Array.from({ length: rowCount(column) }, (_, r) => rowOf<TokenValues>(column, r)),
    );
    const both = ragged(rows, a.values.constructor as new (length: number) => Float32Array);
    const width = (a.observed ?? b.observed)?.width;
    if (width === undefined) return both as ColumnValue;
    const seen = [a, b].flatMap((column) =>
      Array.from({ length: rowCount(column) }, (_, r) =>
        column.observed?.width === width
          ? observedRow(column, r)
          : new Float32Array(width * rowOf<TokenValues>(column, r).length),
      ),
    );
    return { ...both, observed: observedOf(seen, width) } as ColumnValue;
  }
  if (a instanceof Float64Array && b instanceof Float64Array) return Float64Array.from([...a, ...b]);
  return [...(a as readonly unknown[]), ...(b as readonly unknown[])] as readonly unknown[] as ColumnValue;
};

/** The rows of both tables, for their common columns; at most the `last` newest of them. */
export const appendRows = (older: Table, newer: Table, last = Infinity): Table => {
  const names = Object.keys(newer).filter((name) => name in older);
  const both =
    tableRows(older) === 0
      ? newer
      : Object.fromEntries(names.map((name) => [name, append(older[name], newer[name])]));
  const rows = tableRows(both);
  return rows <= last
    ? both
    : gatherTable(
        both,
        Uint32Array.from({ length: last }, (_, at) => rows - last + at),
      );
};

/**
 * Applies a stage's change: rows move first, then columns are added. A column of another length is a bug of
 * the stage.
 */
export const applyChange = (
  table: Table,
  stageId: string,
  { columns, from_R, raw = {} }: Change<never>,
): Table => {
  const moved = from_R ? gatherTable(table, from_R) : table;
  const added: Table = {
    ...columns,
    ...Object.fromEntries(Object.entries(raw).map(([scorer, values]) => [`reward/${scorer}`, values])),
  };
  const changed = { ...moved, ...added };
  const rows = from_R?.length ?? tableRows(changed);
  for (const [name, column] of Object.entries(changed)) {
    if (rowCount(column) !== rows)
      throw new WhetstoneError(
        'internal',
        `'${stageId}' made column '${name}' with ${rowCount(column)} rows where there are ${rows}`,
      );
  }
  return changed;
};
