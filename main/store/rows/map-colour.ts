import type { MapColour, MapGroup } from '../../../preload/contract/map.ts';
import { queryError } from '../../../preload/wire/query.ts';
import type { Sliced } from '../slices.ts';
import type { Bits } from './bits.ts';
import { isDescription } from './findings.ts';
import { extraName } from './part.ts';
import type { RowTable } from './table.ts';

/** Rows with places. */
export interface Placed {
  readonly rows: readonly number[];
  /** By row. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly matching: Bits;
}

/** A column as the colour of a map; `valueOf` a row as `RowMap` has it. */
export interface Colouring {
  readonly colour: MapColour;
  valueOf(row: number): number;
}

/** Most values that are returned, and whole numbers that are values rather than a scale. */
const most = { groups: 40, numbers: 12 };

/** Colours rows by a column. Throws `invalid-input` if it does not exist or has too many values. */
export function* colouring(table: RowTable, column: string, placed: Placed): Sliced<Colouring> {
  if (table.isSet(column)) return byValue(column, placed, marksOf(table, column.toLowerCase()));
  const name = table.nameOf(column, column);
  const cells = yield* table.column(name);
  yield;
  if (cells?.kind === 'category') {
    const { data, values } = cells;
    return byValue(column, placed, (row) => (data[row] === 0 ? null : values[data[row] - 1]));
  }
  if (cells?.kind !== 'number')
    throw queryError(
      column,
      `'${column}' has too many different texts to colour by.`,
      'Choose a column with few values, or with numbers.',
    );
  const { data } = cells;
  const isCluster = table.computed.columns.some(
    (held) => extraName(held.name) === name && held.definition.by === 'cluster',
  );
  if (isCluster || hasFewNumbers(data, placed.rows))
    return byValue(column, placed, (row) => (Number.isNaN(data[row]) ? null : String(data[row])));
  return byNumber(column, placed, data);
}

/** The first mark of this kind of each row, in the order of their names. */
function marksOf(table: RowTable, kind: string): (row: number) => string | null {
  const marks = [...table.marks]
    .filter(([name]) => name.startsWith(`${kind}:`) && !isDescription(name.slice(kind.length + 1)))
    .map(([name, bits]) => ({ name: name.slice(kind.length + 1), bits }));
  return (row) => marks.find(({ bits }) => bits.has(row))?.name ?? null;
}

function hasFewNumbers(data: Float64Array, rows: readonly number[]): boolean {
  const found = new Set<number>();
  for (const row of rows) {
    const value = data[row];
    if (Number.isNaN(value)) continue;
    if (!Number.isInteger(value)) return false;
    found.add(value);
    if (found.size > most.numbers) return false;
  }
  return true;
}

function byValue(
  column: string,
  { rows, x, y, matching }: Placed,
  cellOf: (row: number) => string | null,
): Colouring {
  const found = new Map<string, { rows: number; matching: number; x: number; y: number }>();
  const empty = { rows: 0, matching: 0 };
  for (const row of rows) {
    const value = cellOf(row);
    let group = value === null ? undefined : found.get(value);
    if (value !== null && !group) found.set(value, (group = { rows: 0, matching: 0, x: 0, y: 0 }));
    const counts = group ?? empty;
    counts.rows += 1;
    counts.matching += Number(matching.has(row));
    if (!group) continue;
    group.x += x[row];
    group.y += y[row];
  }
  const groups = [...found]
    .map(([value, sum]): MapGroup => ({ ...sum, value, x: sum.x / sum.rows, y: sum.y / sum.rows }))
    .sort((a, b) => b.rows - a.rows || (a.value < b.value ? -1 : 1));
  const rest = groups.slice(most.groups);
  const codes = new Map(groups.slice(0, most.groups).map(({ value }, code) => [value, code]));
  return {
    colour: {
      kind: 'values',
      column,
      groups: groups.slice(0, most.groups),
      others: {
        values: rest.length,
        rows: rest.reduce((sum, group) => sum + group.rows, 0),
        matching: rest.reduce((sum, group) => sum + group.matching, 0),
      },
      empty,
    },
    valueOf: (row) => {
      const value = cellOf(row);
      return value === null ? Number.NaN : (codes.get(value) ?? -1);
    },
  };
}

function byNumber(column: string, { rows, matching }: Placed, data: Float64Array): Colouring {
  let [low, high] = [Infinity, -Infinity];
  const empty = { rows: 0, matching: 0 };
  for (const row of rows) {
    const value = data[row];
    if (Number.isNaN(value)) {
      empty.rows += 1;
      empty.matching += Number(matching.has(row));
    } else [low, high] = [Math.min(low, value), Math.max(high, value)];
  }
  return { colour: { kind: 'numbers', column, low, high, empty }, valueOf: (row) => data[row] };
}
