/** A model over whole sequences, whatever its family. */
import { add, concat, constant, reshape, slice, type Expr } from '../tensor/index.ts';
import { WhetstoneError } from '../common/errors.ts';
import { sharedAttention, sequenceAttention } from './blocks/attention.ts';
import type { ModelConfig } from './config.ts';
import type { Attend } from './families/family.ts';
import { transformerOf } from './families/index.ts';
import { withSoftPrompt } from './soft-prompt.ts';
import type { Lookup } from './symbols.ts';

export interface SequencePass {
  readonly config: ModelConfig;
  readonly parameters: Lookup;
  /** int32[B, T] */ readonly tokens: Expr;
  /** [B, T, D], added to the embeddings of a whole sequence. */
  readonly shift?: Expr;
  /** [B, size]: what is read by a model with a soft prompt; absent: 0. */
  readonly directions?: Expr;
}

/**
 * Hidden states of sequences: tokens int32[B, T] → [B·T, D]; row b·T + t depends on tokens 0 … t of sequence
 * b. Sequences are padded on the right, so no real token ever attends to padding, and outputs at padding are
 * never read. `keep` receives each layer's keys and values [B, kvHeads, T, size]. Throws `invalid-input` if
 * T exceeds the model's context.
 */
export const forward = (
  { config, parameters, tokens, shift, directions }: SequencePass,
  keep?: (layer: number, keys: Expr, values: Expr) => void,
): Expr => {
  const [B, T] = tokens.type.shape;
  expectRoom(config, T);
  const transformer = transformerOf(config);
  const place = { kind: 'sequences', B, T } as const;
  const attend: Attend = (projected, layer) => {
    const { read, keys, values } = sequenceAttention(
      projected,
      { B, T },
      transformer,
      transformer.attention(layer),
    );
    keep?.(layer, keys, values);
    return read;
  };
  const embedded = transformer.embed(parameters, tokens, place);
  const start = directions ? withSoftPrompt(parameters, embedded, directions) : embedded;
  const moved = shift ? add(start, reshape(shift, start.type.shape)) : start;
  return transformer.blocks(parameters, moved, place, attend);
};

/** Consecutive groups of `group` sequences share their first `prefix` tokens. */
export interface PrefixGroups {
  readonly group: number;
  readonly prefix: number;
}

/**
 * Hidden states after shared prefixes: tokens int32[R, T] → [R·(T − prefix), D]; row r·(T − prefix) + t
 * depends on tokens 0 … prefix + t of sequence r. A group's prefix is computed once, from its first
 * sequence. Prefixes and suffixes are concatenated, so that every dense layer stays one product.
 */
export const forwardShared = (
  { config, parameters, tokens }: SequencePass,
  { group: S, prefix: Q }: PrefixGroups,
): Expr => {
  const [R, T] = tokens.type.shape;
  const [G, U] = [R / S, T - Q];
  expectRoom(config, T);
  const ids = concat(
    [reshape(slice(reshape(tokens, [G, S * T]), 1, 0, Q), [G * Q]), reshape(slice(tokens, 1, Q, T), [R * U])],
    0,
  );
  const positions = Int32Array.from({ length: G * Q + R * U }, (_, at) =>
    at < G * Q ? at % Q : Q + ((at - G * Q) % U),
  );
  const transformer = transformerOf(config);
  const place = { kind: 'tokens', positions: constant(positions, ids.type) } as const;
  const attend: Attend = (projected, layer) =>
    sharedAttention(projected, { G, S, Q, U }, transformer, transformer.attention(layer));
  const hidden = transformer.blocks(parameters, transformer.embed(parameters, ids, place), place, attend);
  return slice(hidden, 0, G * Q, G * Q + R * U);
};

const expectRoom = ({ context }: ModelConfig, T: number): void => {
  if (T > context)
    throw new WhetstoneError(
      'invalid-input',
      `A sequence of ${T} tokens does not fit this model’s context of ${context}.`,
      { where: 'model', hint: 'Shorten prompts or answers, or train a model with a longer context.' },
    );
};

/** Next-token logits of hidden states: [N, D] → [N, V]. */
export const logitsOf = (config: ModelConfig, parameters: Lookup, hidden: Expr): Expr =>
  transformerOf(config).logits(parameters, hidden);

/**
 * The matrix [V, D] whose product with hidden states is the logits, or null if the logits are not exactly
 * that product.
 */
export const outputTableOf = (config: ModelConfig, parameters: Lookup): Expr | null =>
  transformerOf(config).outputTable(parameters);
