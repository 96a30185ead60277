/** Combines several numbers about one answer (of a head's labels, of its worked steps) into one. */
import * as z from 'zod';
import { deviation, mean } from '../evaluate/index.ts';
import { combinations } from '../schema/judge-output.ts';

export const Combination = z.strictObject({
  how: z.enum(combinations),
  /** Lower bound: mean − caution · sample deviation. */
  caution: z.number().min(0).default(1),
});
export type Combination = z.output<typeof Combination>;

/** Numbers about answers: row r has `values[offsets[r]]` up to `values[offsets[r + 1]]`, at least one. */
export interface Parts {
  readonly values: Float64Array;
  readonly offsets: Uint32Array;
}

/** The parts of each row, concatenated. */
export const partsOf = (rows: readonly ArrayLike<number>[]): Parts => {
  const offsets = new Uint32Array(rows.length + 1);
  rows.forEach((row, r) => {
    offsets[r + 1] = offsets[r] + row.length;
  });
  const values = new Float64Array(offsets[rows.length]);
  rows.forEach((row, r) => values.set(row, offsets[r]));
  return { values, offsets };
};

/**
 * Combines a row's values; `majority` is 1 if more of them are above ½ than below, 0 if fewer are, else ½;
 * `lower-bound` is mean − caution · deviation with n − 1, or the mean of a single value (after
 * arXiv:2409.15360).
 */
export const combine = ({ how, caution }: Combination, values: Float64Array): number => {
  const ways: { readonly [H in Combination['how']]: () => number } = {
    first: () => values[0],
    last: () => values[values.length - 1],
    mean: () => mean(values),
    min: () => values.reduce((least, x) => Math.min(least, x), Infinity),
    product: () => values.reduce((product, x) => product * x, 1),
    majority: () => (1 + Math.sign(values.reduce((sum, x) => sum + Math.sign(x - 0.5), 0))) / 2,
    'lower-bound': () => mean(values) - (values.length > 1 ? caution * deviation(values, 'sample') : 0),
  };
  return ways[how]();
};

export const combined = (combination: Combination, { values, offsets }: Parts): Float64Array =>
  Float64Array.from({ length: offsets.length - 1 }, (_, r) =>
    combine(combination, values.subarray(offsets[r], offsets[r + 1])),
  );
