/**
 * GPT-2 (Radford et al., 2019) as Transformers computes it: learned positions, layer norm before each part, one matrix for query, key
 * and value, GELU by tanh, the embedding tied to the output. Names are those of its weight files; matrices are [in, out].
 */
import { add, gather, geluTanh, layerNorm, linear, matmul, reshape, slice, type Expr } from '../tensor/index.ts';
import { WhetstoneError } from '../schema/errors.ts';
import { causalAttention } from './blocks/attention.ts';
import type { ModelConfig } from './config.ts';
import type { Init, ParameterSpec } from './parameters.ts';
import type { Lookup } from './symbols.ts';

const zeros: Init = { kind: 'fill', value: 0 }, ones: Init = { kind: 'fill', value: 1 };

/** Parameters in order. Matrices start as N(0, 0.02), those that write into the residual stream as N(0, 0.02 / √(2·layers)). */
export const gpt2Parameters = ({ width: D, layers, context, vocabulary, head }: ModelConfig): ParameterSpec[] => {
  const normal: Init = { kind: 'normal', sd: 0.02 }, residual: Init = { kind: 'normal', sd: 0.02 / Math.sqrt(2 * layers) };
  const norm = (name: string): ParameterSpec[] => [{ name: `${name}.weight`, shape: [D], init: ones }, { name: `${name}.bias`, shape: [D], init: zeros }];
  const dense = (name: string, from: number, to: number, init: Init): ParameterSpec[] => [{ name: `${name}.weight`, shape: [from, to], init }, { name: `${name}.bias`, shape: [to], init: zeros }];
  return [
    { name: 'transformer.wte.weight', shape: [vocabulary, D], init: normal },
    { name: 'transformer.wpe.weight', shape: [context, D], init: normal },
    ...Array.from({ length: layers }, (_, layer) => `transformer.h.${layer}`).flatMap((block) => [
      ...norm(`${block}.ln_1`), ...dense(`${block}.attn.c_attn`, D, 3 * D, normal), ...dense(`${block}.attn.c_proj`, D, D, residual),
      ...norm(`${block}.ln_2`), ...dense(`${block}.mlp.c_fc`, D, 4 * D, normal), ...dense(`${block}.mlp.c_proj`, 4 * D, D, residual),
    ]),
    ...norm('transformer.ln_f'),
    ...(head === 'reward' ? [{ name: 'score.weight', shape: [1, D], init: normal }] : []),
  ];
};

/** Attention of one layer: query, key and value [N, 3·D] → what it read [N, D]. Full sequences and cached generation differ here only. */
export type Attend = (qkv: Expr, layer: number) => Expr;

/** The blocks and the last layer norm over N rows: [N, D] → [N, D]. */
export const gpt2Blocks = ({ layers, layerNormEpsilon }: ModelConfig, parameters: Lookup, embedded: Expr, attend: Attend): Expr => {
  const norm = (x: Expr, name: string) => layerNorm(x, parameters(`${name}.weight`), parameters(`${name}.bias`), layerNormEpsilon);
  const dense = (x: Expr, name: string) => linear(x, parameters(`${name}.weight`), parameters(`${name}.bias`));
  let x = embedded;
  for (let layer = 0; layer < layers; layer++) {
    const block = `transformer.h.${layer}`;
    const read = attend(dense(norm(x, `${block}.ln_1`), `${block}.attn.c_attn`), layer);
    x = add(x, dense(read, `${block}.attn.c_proj`));
    x = add(x, dense(geluTanh(dense(norm(x, `${block}.ln_2`), `${block}.mlp.c_fc`)), `${block}.mlp.c_proj`));
  }
  return norm(x, 'transformer.ln_f');
};

/** Embedding of single tokens at given positions: ids int32[N] → [N, D]. */
export const gpt2Embed = (parameters: Lookup, tokens: Expr, positions: Expr): Expr =>
  add(gather(parameters('transformer.wte.weight'), tokens), gather(parameters('transformer.wpe.weight'), positions));

/** Embedding of sequences that start at position 0: ids int32[B, T] → [B·T, D]. Throws where T exceeds the model's context. */
export const gpt2EmbedSequences = ({ context, width }: ModelConfig, parameters: Lookup, tokens: Expr): Expr => {
  const [B, T] = tokens.type.shape;
  if (T > context) throw new WhetstoneError('invalid-input', `A sequence of ${T} tokens does not fit this model’s context of ${context}.`, { where: 'model', hint: 'Shorten prompts or answers, or train a model with a longer context.' });
  const embedded = add(gather(parameters('transformer.wte.weight'), tokens), slice(parameters('transformer.wpe.weight'), 0, 0, T));
  return reshape(embedded, [B * T, width]);
};

/**
 * Hidden states of sequences: tokens int32[B, T] → [B·T, D]; row b·T + t has read tokens 0 … t of sequence b. Sequences are padded on
 * the right, so no real token ever attends to a pad, and what pads compute is never read.
 */
export const forward = ({ config, parameters, tokens }: { config: ModelConfig; parameters: Lookup; tokens: Expr }): Expr => {
  const [B, T] = tokens.type.shape;
  const attend: Attend = (qkv) => causalAttention(qkv, { B, T, heads: config.heads }).read;
  return gpt2Blocks(config, parameters, gpt2EmbedSequences(config, parameters, tokens), attend);
};

/** Next-token logits of hidden states: [N, D] → [N, V], by the tied embedding. */
export const logitsOf = (parameters: Lookup, hidden: Expr): Expr => matmul(hidden, parameters('transformer.wte.weight'), { transposeB: true });
