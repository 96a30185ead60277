import type { SampleSort } from '../../../preload/wire/sample-query.ts';
import type { Bits } from '../rows/bits.ts';
import { orderOf } from '../rows/order.ts';
import type { Sliced } from '../slices.ts';
import type { SampleTable } from './table.ts';

/** A number per answer that orders them; NaN: none, which comes last in both directions. */
export function* sortKeys(table: SampleTable, { by, against }: SampleSort): Sliced<Float64Array> {
  if (against !== undefined) return yield* disagreement(table, by, against);
  const name = table.nameOf(by, by);
  const column = yield* table.column(name);
  return column.kind === 'number' ? column.data : Float64Array.from(column.data as Uint16Array);
}

/** Disagreement of two scores: |p − q|, where p and q are an answer's percentile ranks (see `percentiles`). */
function* disagreement(table: SampleTable, by: string, against: string): Sliced<Float64Array> {
  const signed = yield* signedDisagreement(table, by, against);
  return signed.map(Math.abs);
}

/**
 * p − q for each answer that has both scores, between −1 and 1, NaN for others: positive where `by` ranks the
 * answer higher. Ranks are among all answers of the table with both scores, so that a filter does not change
 * them.
 */
export function* signedDisagreement(table: SampleTable, by: string, against: string): Sliced<Float64Array> {
  const [first, second] = [table.nameOf(by, by), table.nameOf(against, against)];
  const key = `disagreement/${first}/${second}`;
  const known = table.cache.get(key);
  if (known instanceof Float64Array) return known;
  const [x, y] = [yield* table.numbers(first), yield* table.numbers(second)];
  const both = (own: Float64Array): Float64Array =>
    own.map((value, row) => (Number.isNaN(x[row]) || Number.isNaN(y[row]) ? Number.NaN : value));
  const p = percentiles(both(x));
  yield;
  const q = percentiles(both(y));
  const signed = p.map((value, row) => value - q[row]);
  table.cache.set(key, signed);
  return signed;
}

/**
 * Percentile ranks between 0 and 1: (r − 1) / (n − 1), where r is the rank from 1 to n of a value among those
 * that are not NaN, and equal values share the mean of their ranks (as `rankdata` of SciPy). A single value has
 * ½; NaN stays NaN.
 */
export function percentiles(values: Float64Array): Float64Array {
  const order = orderOf(values, false);
  const ranks = new Float64Array(values.length).fill(Number.NaN);
  let count = values.length;
  while (count > 0 && Number.isNaN(values[order[count - 1]])) count -= 1;
  for (let from = 0; from < count;) {
    let to = from + 1;
    while (to < count && values[order[to]] === values[order[from]]) to += 1;
    const share = count === 1 ? 0.5 : (from + to - 1) / 2 / (count - 1);
    for (let at = from; at < to; at += 1) ranks[order[at]] = share;
    from = to;
  }
  return ranks;
}

/** Rows up to which the first of an order are selected rather than all of them sorted. */
const mostSelected = 2000;

/** The matching rows from `offset` on, by key; equal ones and those without a key newest first. */
export function* sortedPage(
  table: SampleTable,
  { keys, descending, name }: { keys: Float64Array; descending: boolean; name: string },
  matching: Bits,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Sliced<number[]> {
  const key = `order/${name}`;
  const known = table.cache.get(key);
  if (!(known instanceof Uint32Array) && offset + limit <= mostSelected)
    return firstBy(keys, descending, matching, offset + limit).slice(offset);
  const order = known instanceof Uint32Array ? known : newestFirst(keys, descending);
  yield;
  // one order takes 4 bytes a row
  for (const old of [...table.cache.keys()].filter((each) => each.startsWith('order/')).slice(0, -2))
    table.cache.delete(old);
  table.cache.set(key, order);
  const rows: number[] = [];
  let at = 0;
  for (let i = 0; i < order.length && rows.length < limit; i += 1) {
    if (!matching.has(order[i])) continue;
    if (at >= offset) rows.push(order[i]);
    at += 1;
  }
  return rows;
}

/** All rows by key; equal ones newest first. */
function newestFirst(keys: Float64Array, descending: boolean): Uint32Array {
  const last = keys.length - 1;
  return orderOf(keys.toReversed(), descending).map((row) => last - row);
}

/**
 * The first `count` rows of `among` by key, by a heap whose root is the last one of those kept. Rows are given
 * newest first, so that a later row of an equal key changes nothing.
 */
export function firstBy(
  keys: Float64Array,
  descending: boolean,
  among: { forEachBack(action: (row: number) => void): void },
  count: number,
): number[] {
  const sign = descending ? -1 : 1;
  const isBefore = (a: number, b: number): boolean => {
    const [x, y] = [keys[a], keys[b]];
    if (Number.isNaN(x) || Number.isNaN(y))
      return Number.isNaN(x) && Number.isNaN(y) ? a > b : Number.isNaN(y);
    return x === y ? a > b : sign * x < sign * y;
  };
  const heap: number[] = [];
  const sink = (start: number): void => {
    for (let at = start; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let last = at;
      if (left < heap.length && isBefore(heap[last], heap[left])) last = left;
      if (right < heap.length && isBefore(heap[last], heap[right])) last = right;
      if (last === at) return;
      [heap[at], heap[last]] = [heap[last], heap[at]];
      at = last;
    }
  };
  const rise = (start: number): void => {
    for (let at = start; at > 0;) {
      const parent = (at - 1) >> 1;
      if (!isBefore(heap[parent], heap[at])) return;
      [heap[at], heap[parent]] = [heap[parent], heap[at]];
      at = parent;
    }
  };
  among.forEachBack((row) => {
    if (heap.length < count) {
      heap.push(row);
      rise(heap.length - 1);
    } else if (count > 0 && isBefore(row, heap[0])) {
      heap[0] = row;
      sink(0);
    }
  });
  return heap.sort((a, b) => (isBefore(a, b) ? -1 : 1));
}
