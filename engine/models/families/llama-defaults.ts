/**
 * Transformers' defaults for absent keys of Llama-family configurations, and the keys that each member
 * reads: a key not listed for a member has no effect, there as here. Versions 4.57 and 5.23 agree on every
 * value. Early 4.x took 224 for Gemma 2's `query_pre_attn_scalar`; its published models all state theirs, so
 * the later 256 is used here.
 */
import type { Dialect } from '../config.ts';

export type Settings = Readonly<Record<string, unknown>>;

const shared = {
  vocab_size: 32_000,
  hidden_size: 4096,
  num_hidden_layers: 32,
  num_attention_heads: 32,
  head_dim: null,
  rms_norm_eps: 1e-6,
  tie_word_embeddings: false,
  pad_token_id: null,
};
const qwen = {
  ...shared,
  vocab_size: 151_936,
  intermediate_size: 22_016,
  num_key_value_heads: 32,
  max_position_embeddings: 32_768,
  hidden_act: 'silu',
  use_sliding_window: false,
  sliding_window: 4096,
  max_window_layers: 28,
  layer_types: null,
};
const gemma = {
  ...shared,
  hidden_size: 2304,
  intermediate_size: 9216,
  num_hidden_layers: 26,
  num_attention_heads: 8,
  num_key_value_heads: 4,
  head_dim: 256,
  hidden_activation: 'gelu_pytorch_tanh',
  tie_word_embeddings: true,
  pad_token_id: 0,
  attention_bias: false,
  query_pre_attn_scalar: 256,
  sliding_window: 4096,
  layer_types: null,
  use_bidirectional_attention: null,
};

const defaults: { readonly [D in Dialect]: Settings } = {
  llama: {
    ...shared,
    intermediate_size: 11_008,
    num_key_value_heads: null,
    max_position_embeddings: 2048,
    hidden_act: 'silu',
    attention_bias: false,
    mlp_bias: false,
  },
  mistral: {
    ...shared,
    intermediate_size: 14_336,
    num_key_value_heads: 8,
    max_position_embeddings: 131_072,
    hidden_act: 'silu',
    sliding_window: 4096,
  },
  // its class has no head_dim, yet its attention reads one if a file states it
  qwen2: { ...qwen, head_dim: undefined },
  qwen3: { ...qwen, head_dim: 128, attention_bias: false },
  gemma2: {
    ...gemma,
    vocab_size: 256_000,
    max_position_embeddings: 8192,
    final_logit_softcapping: 30,
    attn_logit_softcapping: 50,
  },
  // Its class has `attn_logit_softcapping` too, and its attention does not read it.
  gemma3_text: {
    ...gemma,
    vocab_size: 262_208,
    max_position_embeddings: 131_072,
    final_logit_softcapping: null,
    sliding_window_pattern: 6,
  },
};

/**
 * The settings that a member reads, each as stated in the file, or its default; null stays null, which
 * differs from absent.
 */
export const statedOrDefault = (dialect: Dialect, json: Settings): Settings => ({
  ...defaults[dialect],
  ...Object.fromEntries(
    Object.keys(defaults[dialect])
      .filter((key) => json[key] !== undefined)
      .map((key) => [key, json[key]]),
  ),
});
