/** The effective rank of hidden states, and how it changes along an answer. */
import { symmetricEigen } from '../../../regression/index.ts';

/**
 * exp of the entropy of the normalized singular values of a matrix of `rows` × `width` (Roy and Vetterli 2007,
 * "The effective rank"): between 1 and min(rows, width); 0 for a matrix of zeros.
 */
export const effectiveRank = (values: ArrayLike<number>, rows: number, width: number): number => {
  const n = Math.min(rows, width);
  const at = (i: number, k: number) => (rows <= width ? values[i * width + k] : values[k * width + i]);
  const gram = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      let dot = 0;
      for (let k = 0; k < Math.max(rows, width); k++) dot += at(i, k) * at(j, k);
      gram[i * n + j] = dot;
      gram[j * n + i] = dot;
    }
  const singular = symmetricEigen(gram, n).values.map((square) => Math.sqrt(Math.max(0, square)));
  const total = singular.reduce((a, b) => a + b, 0);
  if (total === 0) return 0;
  const entropy = singular.reduce((sum, s) => (s > 0 ? sum - (s / total) * Math.log(s / total) : sum), 0);
  return Math.exp(entropy);
};

/** Rank of the whole answer, mean growth over the mean of earlier prefixes, and the mean change of that. */
export interface RankCourse {
  readonly rank: number;
  readonly velocity: number;
  readonly acceleration: number;
}

const meanOf = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((a, b) => a + b, 0) / values.length;

/** The course of the rank over the prefixes of `stride`, 2·`stride`, … rows, the last of which is the whole. */
export const rankCourse = (values: Float32Array, width: number, stride: number): RankCourse => {
  const rows = values.length / width;
  const ranks = Array.from({ length: Math.ceil(rows / stride) }, (_, j) => {
    const taken = Math.min(rows, (j + 1) * stride);
    return effectiveRank(values.subarray(0, taken * width), taken, width);
  });
  const growth = ranks.slice(1).map((rank, j) => rank - meanOf(ranks.slice(0, j + 1)));
  return {
    rank: ranks.at(-1) ?? 0,
    velocity: meanOf(growth),
    acceleration: meanOf(growth.slice(1).map((each, j) => each - growth[j])),
  };
};
