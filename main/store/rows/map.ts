import type { RowMap } from '../../../preload/contract/map.ts';
import { mostPoints } from '../../../preload/contract/map.ts';
import type { Sliced } from '../slices.ts';
import type { Bits } from './bits.ts';
import { colouring, type Placed } from './map-colour.ts';
import { extraName } from './part.ts';
import type { RowTable } from './table.ts';

export interface MapInput {
  readonly id: string;
  readonly query: string;
  /** A map's name; null: the newest. */
  readonly name: string | null;
  /** A column, as a query names it. */
  readonly colour: string | null;
}

const none = new Float64Array(0);
const nothing: Omit<RowMap, 'names' | 'unplaced'> = {
  name: null,
  rows: 0,
  matching: 0,
  x: null,
  y: null,
  points: { row: none, x: none, y: none, value: none, matches: none },
  colour: null,
};

/** The rows of a map, with those marked that match. Throws `invalid-input` for a column that does not exist. */
export function* mapOf(
  table: RowTable,
  { included, matching }: { readonly included: Bits; readonly matching: Bits },
  { name, colour }: MapInput,
): Sliced<RowMap> {
  const names = mapsOf(table);
  const shown = names.find((each) => each === name) ?? names.at(-1);
  const all = included.or(matching);
  if (shown === undefined) return { ...nothing, names, unplaced: all.count };
  const x = yield* table.column(extraName(`${shown}.x`));
  const y = yield* table.column(extraName(`${shown}.y`));
  if (x?.kind !== 'number' || y?.kind !== 'number')
    return { ...nothing, names, name: shown, unplaced: all.count };
  const rows = [...all].filter((row) => Number.isFinite(x.data[row]) && Number.isFinite(y.data[row]));
  yield;
  const placed: Placed = { rows, x: x.data, y: y.data, matching };
  const coloured = colour === null ? null : yield* colouring(table, colour, placed);
  const drawn = drawnOf(placed);
  const cells = (of: (row: number) => number) => Float64Array.from(drawn, of);
  return {
    names,
    name: shown,
    rows: rows.length,
    matching: rows.reduce((count, row) => count + Number(matching.has(row)), 0),
    unplaced: all.count - rows.length,
    x: rangeOf(x.data, rows),
    y: rangeOf(y.data, rows),
    points: {
      row: cells((row) => row),
      x: cells((row) => x.data[row]),
      y: cells((row) => y.data[row]),
      value: cells((row) => coloured?.valueOf(row) ?? Number.NaN),
      matches: cells((row) => Number(matching.has(row))),
    },
    colour: coloured?.colour ?? null,
  };
}

/** The maps of which both coordinates hold, in the order of their making. */
function mapsOf({ computed }: RowTable): string[] {
  const parts = computed.columns.filter(({ definition }) => definition.by === 'map');
  return parts
    .filter(({ event, at }) => at === 0 && parts.some((each) => each.event === event && each.at === 1))
    .map(({ name }) => name.replace(/\.x$/, ''));
}

function rangeOf(data: Float64Array, rows: readonly number[]): readonly [number, number] | null {
  if (rows.length === 0) return null;
  let [low, high] = [Infinity, -Infinity];
  for (const row of rows) {
    low = Math.min(low, data[row]);
    high = Math.max(high, data[row]);
  }
  return [low, high];
}

/** All rows, or a random draw of them: the matching ones up to a half, so that few of them are not lost. */
function drawnOf({ rows, matching }: Placed): readonly number[] {
  if (rows.length <= mostPoints) return rows;
  const [own, others] = [rows.filter((row) => matching.has(row)), rows.filter((row) => !matching.has(row))];
  const half = mostPoints / 2;
  const most = own.length < half ? own.length : Math.max(half, mostPoints - others.length);
  return [...drawn(others, mostPoints - most), ...drawn(own, most)];
}

/** The largest number of rows that fit below a hash in one number. */
const ROWS = 2 ** 27;

/** Rows with the smallest hashes: the same ones are drawn whatever the query, as far as there is space. */
function drawn(rows: readonly number[], most: number): readonly number[] {
  if (rows.length <= most) return rows;
  const keys = Float64Array.from(rows, (row) => (hashOf(row) >>> 6) * ROWS + row).sort();
  return Array.from(keys.subarray(0, most), (key) => key % ROWS);
}

/** The mixing of MurmurHash3 (Appleby 2011). */
function hashOf(row: number): number {
  let h = row + 0x9e3779b9;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
