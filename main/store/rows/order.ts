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
  const lower = column.toLowerCase();
  if (table.isSet(lower)) return keysOfMarks(table, `${lower}:`);
  if (lower === 'note' || lower === 'excluded') return keysOfMarks(table, lower);
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

/**
 * Row numbers in the order of their keys: a radix sort by 16 bits, since comparisons of a million rows take a
 * second.
 */
export function orderOf(keys: Float64Array, descending: boolean): Uint32Array {
  const words = sortableWords(keys, descending);
  let order = new Uint32Array(keys.length);
  let other = new Uint32Array(keys.length);
  for (let row = 0; row < order.length; row += 1) order[row] = row;
  for (let digit = 0; digit < 4; digit += 1) {
    if (!sortByDigit(words, order, other, digit)) continue;
    [order, other] = [other, order];
  }
  return order;
}

/**
 * Two words a key, low and high, whose unsigned order is that of the numbers; −0 equals 0, and NaN is last in
 * both directions.
 */
function sortableWords(keys: Float64Array, descending: boolean): Uint32Array {
  const words = new Uint32Array(keys.slice().buffer);
  const flip = descending ? 0xffffffff : 0;
  for (let row = 0; row < keys.length; row += 1) {
    const [low, high] = [2 * row, 2 * row + 1];
    if (Number.isNaN(keys[row])) {
      words[low] = 0xffffffff;
      words[high] = 0xffffffff;
    } else if (keys[row] < 0) {
      words[low] = ~words[low] ^ flip;
      words[high] = ~words[high] ^ flip;
    } else {
      words[low] ^= flip;
      words[high] = ((words[high] & 0x7fffffff) | 0x80000000) ^ flip;
    }
  }
  return words;
}

/** Sorts rows by 16 bits of their keys into `to`, stably; false if all rows have the same ones. */
function sortByDigit(words: Uint32Array, from: Uint32Array, to: Uint32Array, digit: number): boolean {
  const [word, shift] = [digit >>> 1, (digit & 1) * 16];
  const starts = new Uint32Array(0x10000 + 1);
  const count = from.length;
  for (let at = 0; at < count; at += 1) starts[((words[2 * at + word] >>> shift) & 0xffff) + 1] += 1;
  if (starts.includes(count)) return false;
  for (let each = 0; each < 0x10000; each += 1) starts[each + 1] += starts[each];
  for (let at = 0; at < count; at += 1) {
    const row = from[at];
    const place = (words[2 * row + word] >>> shift) & 0xffff;
    to[starts[place]] = row;
    starts[place] += 1;
  }
  return true;
}
