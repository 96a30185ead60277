/** A model over whole sequences, whatever its family. */
import type { Expr } from '../tensor/index.ts';
import { WhetstoneError } from '../schema/errors.ts';
import { sequenceAttention } from './blocks/attention.ts';
import type { ModelConfig } from './config.ts';
import type { Attend } from './families/family.ts';
import { transformerOf } from './families/index.ts';
import type { Lookup } from './symbols.ts';

export interface SequencePass { readonly config: ModelConfig; readonly parameters: Lookup; /** int32[B, T] */ readonly tokens: Expr }

/**
 * Hidden states of sequences: tokens int32[B, T] → [B·T, D]; row b·T + t has read tokens 0 … t of sequence b. Sequences are padded on
 * the right, so no real token ever attends to a pad, and what pads compute is never read. `keep` is shown each layer's keys and values
 * [B, kvHeads, T, size]. Throws `invalid-input` where T exceeds the model's context.
 */
export const forward = ({ config, parameters, tokens }: SequencePass, keep?: (layer: number, keys: Expr, values: Expr) => void): Expr => {
  const [B, T] = tokens.type.shape;
  if (T > config.context) throw new WhetstoneError('invalid-input', `A sequence of ${T} tokens does not fit this model’s context of ${config.context}.`, { where: 'model', hint: 'Shorten prompts or answers, or train a model with a longer context.' });
  const transformer = transformerOf(config), place = { kind: 'sequences', B, T } as const;
  const attend: Attend = (projected, layer) => {
    const { read, keys, values } = sequenceAttention(projected, { B, T }, transformer, transformer.attention(layer));
    keep?.(layer, keys, values);
    return read;
  };
  return transformer.blocks(parameters, transformer.embed(parameters, tokens, place), place, attend);
};

/** Next-token logits of hidden states: [N, D] → [N, V]. */
export const logitsOf = (config: ModelConfig, parameters: Lookup, hidden: Expr): Expr => transformerOf(config).logits(parameters, hidden);

/** The matrix [V, D] whose product with hidden states is the logits, or null where more is done to them. */
export const outputTableOf = (config: ModelConfig, parameters: Lookup): Expr | null => transformerOf(config).outputTable(parameters);
