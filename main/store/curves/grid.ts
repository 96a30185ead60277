import type { Column, Curve } from '../series.ts';

/**
 * Buckets of steps on a fixed grid: bucket b of level k holds the steps in [b 2^k, (b + 1) 2^k). The grid does not
 * depend on the window, so that a line does not shimmer while it is moved, and buckets of a level are exactly
 * those of the level below, joined in pairs.
 */
export const widthOf = (level: number): number => 2 ** level;

/** The finest and the coarsest level of all. */
const [finest, coarsest] = [-60, 1023];

/** Number of buckets of a level that a range of steps touches. */
export const bucketsIn = (from: number, to: number, level: number): number =>
  Math.floor(to / widthOf(level)) - Math.floor(from / widthOf(level)) + 1;

/** The finest level at which a range of steps touches at most so many buckets. */
export function levelFor(from: number, to: number, most: number): number {
  const span = to - from;
  // a bucket's number and the next one are told apart in float64
  const exact = Math.ceil(Math.log2(Math.max(Math.abs(from), Math.abs(to), 1))) - 51;
  let level = Math.max(finest, exact, span > 0 ? Math.floor(Math.log2(span / most)) - 1 : finest);
  while (level < coarsest && bucketsIn(from, to, level) > most) level += 1;
  return level;
}

/** The range that whole buckets of a level cover around a range of steps: its first step, and the first after it. */
export const widened = (from: number, to: number, level: number): readonly [number, number] => [
  Math.floor(from / widthOf(level)) * widthOf(level),
  (Math.floor(to / widthOf(level)) + 1) * widthOf(level),
];

/** Columns of buckets in the order of their steps. */
export type Buckets = Required<Curve>;

/** Points, or buckets of a finer level, in the order of their steps. */
export type Finer = Curve;

/**
 * Joins points and finer buckets, added in the order of their steps, into buckets of one level. A bucket has its
 * last point, and the least and greatest of its finite values (NaN without one); if it has values that are not
 * finite, it has the last of these points instead, so that none is hidden.
 */
export class Joining {
  private readonly scale: number;
  private bucket = Number.NaN;
  private count = 0;
  private columns: Buckets;

  constructor(level: number, expected: number) {
    this.scale = 1 / widthOf(level);
    this.columns = empty(Math.max(16, expected));
  }

  /** Adds what lies in [from, to). */
  add({ steps, at, values, low = values, high = values }: Finer, from: number, to: number): void {
    const end = firstAt(steps, to);
    for (let i = firstAt(steps, from); i < end; i += 1) {
      const bucket = Math.floor(steps[i] * this.scale);
      if (bucket === this.bucket) this.join(steps[i], at[i], values[i], low[i], high[i]);
      else this.open(bucket, steps[i], at[i], values[i], low[i], high[i]);
    }
  }

  /** The buckets added so far. */
  done(): Buckets {
    const { steps, at, values, low, high } = this.columns;
    const cut = (column: Column): Column => column.slice(0, this.count);
    return { steps: cut(steps), at: cut(at), values: cut(values), low: cut(low), high: cut(high) };
  }

  // one parameter a number: this runs once per point
  private open(bucket: number, step: number, at: number, value: number, low: number, high: number): void {
    if (this.count === this.columns.steps.length) this.columns = grown(this.columns);
    this.bucket = bucket;
    const { columns, count } = this;
    columns.steps[count] = step;
    columns.at[count] = at;
    columns.values[count] = value;
    columns.low[count] = Number.isFinite(low) ? low : Number.NaN;
    columns.high[count] = Number.isFinite(high) ? high : Number.NaN;
    this.count += 1;
  }

  private join(step: number, at: number, value: number, low: number, high: number): void {
    const { columns } = this;
    const last = this.count - 1;
    if (Number.isFinite(columns.values[last]) || !Number.isFinite(value)) {
      columns.steps[last] = step;
      columns.at[last] = at;
      columns.values[last] = value;
    }
    if (Number.isFinite(low) && !(columns.low[last] <= low)) columns.low[last] = low;
    if (Number.isFinite(high) && !(columns.high[last] >= high)) columns.high[last] = high;
  }
}

/** Position of the first of ascending numbers that is at least `limit`. */
export function firstAt(ascending: Float64Array, limit: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

const names = ['steps', 'at', 'values', 'low', 'high'] as const;

const empty = (length: number): Buckets => ({
  steps: new Float64Array(length),
  at: new Float64Array(length),
  values: new Float64Array(length),
  low: new Float64Array(length),
  high: new Float64Array(length),
});

function grown(columns: Buckets): Buckets {
  const wider = empty(columns.steps.length * 2);
  for (const name of names) wider[name].set(columns[name]);
  return wider;
}

/** Buckets as bytes: five columns, one after the other. */
export function packed(buckets: Buckets): Buffer {
  const count = buckets.steps.length;
  const all = new Float64Array(names.length * count);
  names.forEach((name, at) => all.set(buckets[name], at * count));
  return Buffer.from(all.buffer);
}

/** The buckets of bytes that `packed` made. */
export function unpacked(bytes: Buffer): Buckets {
  const all = floats(bytes);
  const count = all.length / names.length;
  const column = (at: number): Column => all.subarray(at * count, (at + 1) * count);
  return { steps: column(0), at: column(1), values: column(2), low: column(3), high: column(4) };
}

/** Bytes as float64; copied only where they are not aligned. */
export const floats = (bytes: Buffer): Column =>
  bytes.byteOffset % 8 === 0 && bytes.buffer instanceof ArrayBuffer
    ? new Float64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8)
    : new Float64Array(new Uint8Array(bytes).buffer);

/** True if each step is greater than the one before it. */
export function isAscending(steps: Float64Array): boolean {
  for (let i = 1; i < steps.length; i += 1) if (!(steps[i] > steps[i - 1])) return false;
  return true;
}
