import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { RowSort } from '../../../preload/contract/rows.ts';
import type { Sliced } from '../slices.ts';
import { partRows, textEnd } from './part.ts';
import type { RowTable } from './table.ts';

/** Compares values as a person sorts them: "a2" before "a10", in any case. */
const collator = new Intl.Collator('en', { numeric: true });

/**
 * All rows ordered by a column; rows without a value come last in both directions, equal ones in the order of
 * the file.
 */
export function* orderBy(table: RowTable, { column, descending }: RowSort): Sliced<Uint32Array> {
  const key = `order/${column}/${descending}`;
  const known = table.cache.get(key);
  if (known instanceof Uint32Array) return known;
  const order = orderOf(yield* sortKeys(table, column), descending);
  // one order takes 4 bytes a row
  for (const old of [...table.cache.keys()].filter((each) => each.startsWith('order/')).slice(0, -3))
    table.cache.delete(old);
  table.cache.set(key, order);
  return order;
}

/** A number per row that orders a column; NaN for rows without a value. */
function* sortKeys(table: RowTable, column: string): Sliced<Float64Array> {
  const set = { tag: 'tag:', flag: 'flag:', split: 'split:', note: 'note', excluded: 'excluded' }[
    column.toLowerCase()
  ];
  if (set !== undefined) return keysOfMarks(table, set);
  const name = table.nameOf(column, column);
  const cells = yield* table.column(name);
  if (cells?.kind === 'number') return cells.data;
  const keys = new Float64Array(table.size).fill(Number.NaN);
  if (cells?.kind === 'text') return keysOfTexts(keys, cells.texts, column);
  if (!cells) return keys;
  const places = cells.values
    .map((value, code) => ({ value, code: code + 1 }))
    .sort((a, b) => collator.compare(a.value, b.value));
  const placeOf = new Float64Array(cells.values.length + 1).fill(Number.NaN);
  for (const [place, { code }] of places.entries()) placeOf[code] = place;
  for (let row = 0; row < table.size; row += 1) keys[row] = placeOf[cells.data[row]];
  return keys;
}

/** Places of texts in the order of their signs, in lower case. Throws `unsupported` for long texts. */
function keysOfTexts(
  keys: Float64Array,
  texts: ReadonlyMap<number, string> | null,
  column: string,
): Float64Array {
  if (!texts)
    throw new WhetstoneError('unsupported', `'${column}' holds long texts, which cannot be sorted.`, {
      where: column,
      hint: 'Sort by another column, such as length.',
    });
  const cells = [...texts].flatMap(([part, joined]) =>
    joined
      .split(textEnd)
      .map((text, at) => ({ text, row: part * partRows + at }))
      .filter(({ text }) => text !== ''),
  );
  cells.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
  let place = 0;
  for (const [at, { text, row }] of cells.entries()) {
    if (at > 0 && cells[at - 1].text !== text) place = at;
    keys[row] = place;
  }
  return keys;
}

/** The first mark of a kind that a row has, by name. */
function keysOfMarks(table: RowTable, kind: string): Float64Array {
  const keys = new Float64Array(table.size).fill(Number.NaN);
  const names = [...table.marks.keys()]
    .filter((name) => name.startsWith(kind))
    .sort(collator.compare)
    .reverse();
  for (const [place, name] of names.entries())
    table.marks.get(name)?.forEach((row) => {
      keys[row] = names.length - place;
    });
  return keys;
}

/** Row numbers in the order of their keys: a radix sort, since comparisons of a million rows take a second. */
export function orderOf(keys: Float64Array, descending: boolean): Uint32Array {
  const bits = new Uint32Array(keys.slice().buffer);
  const count = keys.length;
  for (let row = 0; row < count; row += 1) {
    // after this, unsigned integers have the order of the numbers; -0 equals 0, and NaN is last
    const [low, high] = Number.isNaN(keys[row])
      ? missing
      : ordered(bits[2 * row], bits[2 * row + 1], descending);
    bits[2 * row] = low;
    bits[2 * row + 1] = high;
  }
  let order = Uint32Array.from({ length: count }, (_none, row) => row);
  for (const [word, shift] of [
    [0, 0],
    [0, 16],
    [1, 0],
    [1, 16],
  ]) {
    const digitOf = (row: number): number => (bits[2 * row + word] >>> shift) & 0xffff;
    order = sortedByDigit(order, digitOf);
  }
  return order;
}

const missing = [0xffffffff, 0xffffffff] as const;

function ordered(low: number, high: number, descending: boolean): readonly [number, number] {
  const isZero = low === 0 && (high & 0x7fffffff) === 0;
  const isNegative = !isZero && high >>> 31 === 1;
  const [l, h] = isNegative ? [~low, ~high] : [low, (isZero ? 0 : high) | 0x80000000];
  return descending ? [~l >>> 0, ~h >>> 0] : [l >>> 0, h >>> 0];
}

function sortedByDigit(
  order: Uint32Array<ArrayBuffer>,
  digitOf: (row: number) => number,
): Uint32Array<ArrayBuffer> {
  const starts = new Uint32Array(0x10000 + 1);
  for (const row of order) starts[digitOf(row) + 1] += 1;
  // all rows have the same digit: nothing to do
  if (starts.includes(order.length)) return order;
  for (let digit = 0; digit < 0x10000; digit += 1) starts[digit + 1] += starts[digit];
  const sorted = new Uint32Array(order.length);
  for (const row of order) {
    sorted[starts[digitOf(row)]] = row;
    starts[digitOf(row)] += 1;
  }
  return sorted;
}
