/** Where behaviours lie in a learned space: a linear autoencoder of visits, trained online. */
import type { RandomStream } from '../../random/random.ts';
import { filled } from './tables.ts';

/** Plain data, part of an agent’s memory: weights of [dims][inputs], and the mean of inputs. */
export interface Encoder {
  readonly weights: number[][];
  readonly mean: number[];
  seen: number;
}

export const newEncoder = (inputs: number, dims: number, draw: RandomStream): Encoder => ({
  weights: Array.from({ length: dims }, () =>
    Array.from({ length: inputs }, () => draw.normal() / Math.sqrt(inputs)),
  ),
  mean: filled(inputs),
  seen: 0,
});

/** Code of an input, and ‖x − decoded‖: what the code cannot say of it. */
export const encoded = ({ weights, mean }: Encoder, input: readonly number[]) => {
  const centred = input.map((each, at) => each - mean[at]);
  const code = weights.map((row) => row.reduce((sum, weight, at) => sum + weight * centred[at], 0));
  const left = centred.map((each, at) => each - weights.reduce((sum, row, k) => sum + code[k] * row[at], 0));
  return { code, error: Math.hypot(...left), left };
};

/**
 * One step of Oja’s subspace rule, the gradient of the error with tied weights where they are near
 * orthonormal; its fixed point spans the principal components.
 */
export const fitEncoder = (encoder: Encoder, input: readonly number[], rate: number): void => {
  encoder.seen++;
  input.forEach((each, at) => (encoder.mean[at] += (each - encoder.mean[at]) / encoder.seen));
  const { code, left } = encoded(encoder, input);
  encoder.weights.forEach((row, k) => row.forEach((_, at) => (row[at] += rate * code[k] * left[at])));
};

/** Mean distance to the `k` nearest of other codes; 0 if there are none. */
export const novelty = (
  code: readonly number[],
  others: readonly (readonly number[])[],
  k: number,
): number => {
  const near = others
    .map((other) => Math.hypot(...other.map((each, at) => each - code[at])))
    .toSorted((a, b) => a - b)
    .slice(0, k);
  return near.length === 0 ? 0 : near.reduce((sum, each) => sum + each, 0) / near.length;
};

/**
 * How novel each of `pool` is among the others and the archive, by `neighbours` in the space; with null, how
 * much the space cannot say of it.
 */
export const strangeness = (
  encoder: Encoder,
  pool: readonly { readonly visits: readonly number[] }[],
  archive: readonly (readonly number[])[],
  neighbours: number | null,
): number[] => {
  const codes = pool.map(({ visits }) => encoded(encoder, visits));
  if (neighbours === null) return codes.map(({ error }) => error);
  const archived = archive.map((visits) => encoded(encoder, visits).code);
  return codes.map(({ code }, at) => {
    const others = codes.flatMap((other, k) => (k === at ? [] : [other.code]));
    return novelty(code, [...others, ...archived], neighbours);
  });
};
