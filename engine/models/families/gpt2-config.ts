/** `config.json` of Hugging Face's GPT-2. */
import * as z from 'zod';
import { initialDeviation, type Gpt2Config } from '../config.ts';
import { count, parsed, refuseAll, tokenId, type ConfigFormat } from './config-format.ts';

/**
 * Settings with Transformers' defaults; settings that change the computation are read so that they can be
 * refused.
 */
const Gpt2Json = z.looseObject({
  vocab_size: count.default(50_257),
  n_positions: count.default(1024),
  n_embd: count.default(768),
  n_layer: count.default(12),
  n_head: count.default(12),
  n_inner: z.int().nullable().default(null),
  activation_function: z.string().default('gelu_new'),
  layer_norm_epsilon: z.number().positive().default(1e-5),
  tie_word_embeddings: z.boolean().default(true),
  scale_attn_weights: z.boolean().default(true),
  scale_attn_by_inverse_layer_idx: z.boolean().default(false),
  add_cross_attention: z.boolean().default(false),
  pad_token_id: tokenId,
});

/** Alternative names of the sizes; if a file has both, Transformers uses these. */
const otherNames = {
  hidden_size: 'n_embd',
  max_position_embeddings: 'n_positions',
  num_attention_heads: 'n_head',
  num_hidden_layers: 'n_layer',
} as const;
const renamed = (json: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
  ...json,
  ...Object.fromEntries(
    Object.entries(otherNames)
      .filter(([other]) => Object.hasOwn(json, other))
      .map(([other, own]) => [own, json[other]]),
  ),
});

export const gpt2Format: ConfigFormat<Gpt2Config> = {
  types: ['gpt2'],
  classOf: (_, head) => (head === 'reward' ? 'GPT2ForSequenceClassification' : 'GPT2LMHeadModel'),
  read: (json, head, where) => {
    const c = parsed(Gpt2Json, renamed(json), where);
    refuseAll('GPT-2', where, [
      c.n_embd % c.n_head !== 0 && `n_head ${c.n_head} does not divide n_embd ${c.n_embd}`,
      c.n_inner !== null && c.n_inner !== 4 * c.n_embd && `n_inner ${c.n_inner}`,
      !['gelu_new', 'gelu_pytorch_tanh'].includes(c.activation_function) &&
        `activation_function ${c.activation_function}`,
      !c.tie_word_embeddings && 'tie_word_embeddings false',
      !c.scale_attn_weights && 'scale_attn_weights false',
      c.scale_attn_by_inverse_layer_idx && 'scale_attn_by_inverse_layer_idx true',
      c.add_cross_attention && 'add_cross_attention true',
    ]);
    return {
      family: 'gpt2',
      width: c.n_embd,
      layers: c.n_layer,
      heads: c.n_head,
      context: c.n_positions,
      vocabulary: c.vocab_size,
      head,
      pad: c.pad_token_id,
      layerNormEpsilon: c.layer_norm_epsilon,
    };
  },
  write: (config) => ({
    model_type: 'gpt2',
    vocab_size: config.vocabulary,
    n_positions: config.context,
    n_ctx: config.context,
    n_embd: config.width,
    n_layer: config.layers,
    n_head: config.heads,
    n_inner: null,
    activation_function: 'gelu_new',
    layer_norm_epsilon: config.layerNormEpsilon,
    initializer_range: initialDeviation(config.width),
    tie_word_embeddings: true,
    resid_pdrop: 0,
    embd_pdrop: 0,
    attn_pdrop: 0,
    scale_attn_weights: true,
    scale_attn_by_inverse_layer_idx: false,
  }),
};
