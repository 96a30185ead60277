/** Positions of answer tokens in the columns. */
import type { PerToken, Problem } from '../../kernel/columns.ts';
import { rowOf } from '../../kernel/rows.ts';

/** Positions of the answer's tokens in the columns, row by row. */
export const answerPlaces = (mask: PerToken<Uint8Array>): number[][] =>
  Array.from({ length: mask.offsets.length - 1 }, (_, r) =>
    [...rowOf(mask, r).keys()].map((t) => mask.offsets[r] + t).filter((at) => mask.values[at] === 1),
  );

/** The first answer token of each row, where a critic's value is the value of the prompt. */
export const firstOf = (mask: PerToken<Uint8Array>, values_R: ArrayLike<number>): PerToken<Float64Array> => {
  const values = new Float64Array(mask.values.length);
  for (let r = 0; r < mask.offsets.length - 1; r++) {
    const at = rowOf(mask, r).indexOf(1);
    if (at >= 0) values[mask.offsets[r] + at] = values_R[r];
  }
  return { axis: 'T', values, offsets: mask.offsets };
};

/** 1 if another token of the answer follows. */
export const followed = (mask: PerToken<Uint8Array>): PerToken => {
  const starts = new Set(mask.offsets);
  return {
    ...mask,
    values: Float32Array.from(mask.values, (m, at) =>
      Number(m === 1 && mask.values[at + 1] === 1 && !starts.has(at + 1)),
    ),
  };
};

/** Position of a row's first answer token, a given beginning included; the row's length without an answer. */
export const answerStart = ({ hint }: Problem, mask_T: Uint8Array): number => {
  const first = mask_T.indexOf(1);
  return (first < 0 ? mask_T.length : first) - (hint?.tokens.length ?? 0);
};
