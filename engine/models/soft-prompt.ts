/**
 * A random direction that a model on text reads: direction · W is added to the embeddings of a row's first
 * tokens, so that lengths, positions and caches stay those of the plain model. Direction 0 is the plain
 * model.
 */
import { add, matmul, pad, reshape, slice, type Expr } from '../tensor/index.ts';
import { directionOf, type TokenKey } from '../random/random.ts';
import { WhetstoneError } from '../common/errors.ts';
import { initialDeviation, type ModelConfig } from './config.ts';
import type { ParameterSpec } from './parameters.ts';
import type { Lookup } from './symbols.ts';

/** W [size, vectors · D]. */
const matrix = 'soft_prompt.weight';

/** Numbers of the direction that a model reads; 0: it reads none. */
export const softWidth = ({ softPrompt }: ModelConfig): number =>
  softPrompt && softPrompt.vectors > 0 ? softPrompt.size : 0;

/** The parameters of the map. A direction has length 1, so a vector is at first as long as an embedding. */
export const softParameters = (config: ModelConfig): ParameterSpec[] =>
  softWidth(config) === 0
    ? []
    : [
        {
          name: matrix,
          shape: [softWidth(config), (config.softPrompt?.vectors ?? 0) * config.width],
          init: { kind: 'normal', sd: initialDeviation(config.width) },
        },
      ];

/** Embeddings [B · T, D] of rows from their first token on, which read directions [B, size]. */
export const withSoftPrompt = (parameters: Lookup, embedded: Expr, directions: Expr): Expr => {
  const [N, D] = embedded.type.shape;
  const map = parameters(matrix);
  const all = (N / directions.type.shape[0]) * D;
  const read = Math.min(map.type.shape[1], all);
  // the zeros of the tokens behind are in the map, since the number of rows may be dynamic
  const wide = pad(slice(map, 1, 0, read), 1, 0, all - read);
  return add(embedded, reshape(matmul(directions, wide), [N, D]));
};

/** The direction of an answer, drawn by the key of its tokens; undefined for a model without one. */
export const drawnDirection = (
  { softPrompt }: ModelConfig,
  { seed, purpose, ...key }: TokenKey,
): Float32Array | undefined =>
  softPrompt &&
  directionOf(softPrompt.size, seed, `direction of ${purpose}`, key.step, key.prompt, key.sample);

/**
 * Throws `invalid-input` for a prompt that is not longer than the vectors: only prompts are read before
 * sampling begins, all but their last token.
 */
export const checkSoftPrompt = (
  { softPrompt }: ModelConfig,
  { length }: ArrayLike<number>,
  where: string,
): void => {
  if (softPrompt === undefined || length > softPrompt.vectors) return;
  throw new WhetstoneError(
    'invalid-input',
    `A prompt of ${length} tokens is too short for a soft prompt of ${softPrompt.vectors} vectors.`,
    { where, hint: `Choose prompts of more than ${softPrompt.vectors} tokens, or fewer vectors.` },
  );
};

/** Directions of rows [rows, size], as a program reads them; zeros for a row without one of this size. */
export const directionFeed = (
  rows: readonly ({ readonly direction?: Float32Array } | undefined)[],
  size: number,
): Float32Array => {
  const all = new Float32Array(rows.length * size);
  rows.forEach((row, b) => {
    if (row?.direction?.length === size) all.set(row.direction, b * size);
  });
  return all;
};
