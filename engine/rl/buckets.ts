/** Cuts rows of unequal length into rectangles of few different shapes, so that a graph is compiled once for each shape and padding stays small. */
import type { PerToken, TokenValues } from './columns.ts';

/** One rectangle: these rows of the batch in this order, padded to `R` rows of `T` tokens. */
export interface MicroBatch { readonly rows: Uint32Array; readonly R: number; readonly T: number }

export interface Cutting {
  /** Rows that must stay together, side by side: 1, or 2 for pairs. */
  readonly unit: number;
  /** Bound on R × T. */
  readonly tokens: number;
  /** Longest sequence that the model reads: no rectangle is longer. */
  readonly context: number;
}

const ROUND = 8;
const powerAtLeast = (n: number): number => 2 ** Math.ceil(Math.log2(n));
const powerAtMost = (n: number): number => 2 ** Math.floor(Math.log2(n));

/**
 * Units sorted by length, longest first; T is rounded up to a multiple of 8, R to a power of two. A rest that would fill less than
 * three quarters of its rectangle is cut again. The same lengths give the same cuts, whatever the order of equal rows.
 */
export const cut = (lengths_R: ArrayLike<number>, { unit, tokens, context }: Cutting): MicroBatch[] => {
  const units = Array.from({ length: lengths_R.length / unit }, (_, u) => ({
    first: u * unit, length: Math.max(...Array.from({ length: unit }, (_x, i) => lengths_R[u * unit + i])),
  })).sort((a, b) => b.length - a.length || a.first - b.first);
  const batches: MicroBatch[] = [];
  for (let at = 0; at < units.length;) {
    const T = Math.min(context, Math.max(ROUND, Math.ceil(units[at].length / ROUND) * ROUND));
    const most = Math.max(unit, powerAtMost(tokens / T));
    const left = (units.length - at) * unit;
    const whole = powerAtLeast(left);
    const R = whole <= most && left >= 0.75 * whole ? whole : Math.max(unit, Math.min(most, powerAtMost(left)));
    const taken = units.slice(at, at + R / unit);
    batches.push({ R, T, rows: Uint32Array.from(taken.flatMap(({ first }) => Array.from({ length: unit }, (_, i) => first + i))) });
    at += taken.length;
  }
  return batches;
};

/** The rows of a micro-batch as a rectangle [R, T], padded with zeros. */
export const rectangle = <V extends Float32Array | Int32Array>(column: PerToken<TokenValues>, { rows, R, T }: MicroBatch, make: new (length: number) => V): V => {
  const out = new make(R * T);
  rows.forEach((row, r) => out.set(column.values.subarray(column.offsets[row], column.offsets[row + 1]), r * T));
  return out;
};

/** One number a row, padded with zeros: a padded row has weight 0. */
export const vector = (values_R: ArrayLike<number>, { rows, R }: MicroBatch): Float32Array => {
  const out = new Float32Array(R);
  rows.forEach((row, r) => { out[r] = values_R[row]; });
  return out;
};
