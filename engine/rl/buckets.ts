/** Cuts rows of unequal length into rectangles of few different shapes, so that a graph is compiled once for each shape and padding stays small. */
import type { PerToken, TokenValues } from './columns.ts';

/** One rectangle: these rows of the batch in this order, padded to `R` rows of `T` tokens. */
export interface MicroBatch { readonly rows: Uint32Array; readonly R: number; readonly T: number }

export interface Cutting {
  /** Rows that must stay together, side by side: 1, 2 for pairs, 3 for triples. */
  readonly unit: number;
  /** Bound on R × T. */
  readonly tokens: number;
  /** Longest sequence that the model reads: no rectangle is longer. */
  readonly context: number;
}

const ROUND = 8;
/** What one more rectangle costs beside its tokens, in tokens: the fixed part of a run. Measured on small models, where it matters. */
const OVERHEAD = 256;
/** Fewer rows than this are not cut off on their own: every shape is a graph to be compiled. */
const LEAST_ROWS = 8;

const powersUpTo = (n: number): number[] => {
  const powers: number[] = [];
  for (let power = 1; power < 2 * n; power *= 2) powers.push(power);
  return powers;
};

/**
 * Units sorted by length, longest first, and cut where the tokens to compute, padding included, are fewest (dynamic programming over the
 * sorted units). T is rounded up to a multiple of 8, the units to a power of two. The same lengths give the same cuts.
 */
export const cut = (lengths_R: ArrayLike<number>, { unit, tokens, context }: Cutting): MicroBatch[] => {
  const units = Array.from({ length: lengths_R.length / unit }, (_, u) => ({
    first: u * unit, length: Math.max(...Array.from({ length: unit }, (_x, i) => lengths_R[u * unit + i])),
  })).sort((a, b) => b.length - a.length || a.first - b.first);
  const sizes = powersUpTo(units.length).map((power) => power * unit);
  const fits = (R: number, T: number) => R * T <= tokens || R === sizes[0];
  const enough = sizes.find((R) => R >= LEAST_ROWS) ?? LEAST_ROWS;
  const lengthFrom = (at: number) => Math.min(context, Math.max(ROUND, Math.ceil(units[at].length / ROUND) * ROUND));
  // best[at]: the cheapest way to cut the units from `at` on, and the rows of its first rectangle
  const best = units.map(() => ({ cost: Infinity, R: 0 }));
  for (let at = units.length - 1; at >= 0; at--) {
    const T = lengthFrom(at);
    const left = (units.length - at) * unit;
    for (const R of sizes) {
      if (!fits(R, T) || (R < LEAST_ROWS && R < left && fits(enough, T))) continue;
      const rest = at + R / unit < units.length ? best[at + R / unit].cost : 0;
      if (R * T + OVERHEAD + rest < best[at].cost) best[at] = { R, cost: R * T + OVERHEAD + rest };
    }
  }
  const batches: MicroBatch[] = [];
  for (let at = 0; at < units.length; at += best[at].R / unit) {
    const taken = units.slice(at, at + best[at].R / unit);
    batches.push({ R: best[at].R, T: lengthFrom(at), rows: Uint32Array.from(taken.flatMap(({ first }) => Array.from({ length: unit }, (_, i) => first + i))) });
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
