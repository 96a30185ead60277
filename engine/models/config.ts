import { z } from 'zod';
import { WhetstoneError } from '../schema/errors.ts';
import type { Architecture } from '../schema/model.ts';
import type { CheckpointFacts } from '../schema/messages.ts';
import { specials } from '../text/tokenizer.ts';

export type Head = CheckpointFacts['head'];

/** What every model has. `head` says what it computes: log-probabilities of next tokens, or one number for a sequence. */
interface CommonConfig {
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  /** Longest sequence, in tokens. */
  readonly context: number;
  /** Number of token ids. */
  readonly vocabulary: number;
  readonly head: Head;
}

export interface Gpt2Config extends CommonConfig {
  readonly family: 'gpt2';
  readonly layerNormEpsilon: number;
}

/** Shape of a model, and which family computes it. */
export type ModelConfig = Gpt2Config;

/** Configuration of a new model. */
export const configOf = (architecture: Architecture, vocabulary: number, head: Head = 'next-token'): Gpt2Config => ({ ...architecture, vocabulary, head, layerNormEpsilon: 1e-5 });

const count = z.int().min(1);
/** `config.json` of Hugging Face's GPT-2; settings that change the computation are read so that they can be refused. */
const Gpt2Json = z.looseObject({
  model_type: z.literal('gpt2'),
  vocab_size: count, n_positions: count, n_embd: count, n_layer: count, n_head: count,
  n_inner: z.int().nullable().optional(),
  activation_function: z.string().default('gelu_new'),
  layer_norm_epsilon: z.number().positive().default(1e-5),
  tie_word_embeddings: z.boolean().default(true),
  scale_attn_weights: z.boolean().default(true),
  scale_attn_by_inverse_layer_idx: z.boolean().default(false),
  architectures: z.array(z.string()).nullable().optional(),
});

/** The configuration as Transformers spells it, so that the folder loads there. */
export const toHuggingFace = (config: ModelConfig): Record<string, unknown> => ({
  model_type: 'gpt2',
  architectures: [config.head === 'reward' ? 'GPT2ForSequenceClassification' : 'GPT2LMHeadModel'],
  vocab_size: config.vocabulary, n_positions: config.context, n_ctx: config.context, n_embd: config.width, n_layer: config.layers, n_head: config.heads, n_inner: null,
  activation_function: 'gelu_new', layer_norm_epsilon: config.layerNormEpsilon, initializer_range: 0.02, tie_word_embeddings: true,
  resid_pdrop: 0, embd_pdrop: 0, attn_pdrop: 0, scale_attn_weights: true, scale_attn_by_inverse_layer_idx: false,
  bos_token_id: specials.begin, eos_token_id: specials.end, pad_token_id: specials.pad,
  ...(config.head === 'reward' && { id2label: { 0: 'reward' }, label2id: { reward: 0 }, problem_type: 'regression' }),
  dtype: 'float32',
});

/** Reads a GPT-2 `config.json`. Throws `unsupported` for another architecture and for settings that this engine does not compute. */
export const fromHuggingFace = (json: unknown, where: string): ModelConfig => {
  const type = typeof json === 'object' && json !== null && 'model_type' in json ? json.model_type : undefined;
  if (type !== 'gpt2') throw new WhetstoneError('unsupported', `This model’s architecture is ${JSON.stringify(type) ?? 'not named'}; only GPT-2 can be loaded.`, { where });
  const parsed = Gpt2Json.safeParse(json);
  if (!parsed.success) throw new WhetstoneError('invalid-input', `The model’s configuration is not complete: ${z.prettifyError(parsed.error)}`, { where });
  const c = parsed.data;
  const refused = [
    c.n_embd % c.n_head !== 0 && `n_head ${c.n_head} does not divide n_embd ${c.n_embd}`,
    c.n_inner != null && c.n_inner !== 4 * c.n_embd && `n_inner ${c.n_inner}`,
    !['gelu_new', 'gelu_pytorch_tanh'].includes(c.activation_function) && `activation_function ${c.activation_function}`,
    !c.tie_word_embeddings && 'tie_word_embeddings false',
    !c.scale_attn_weights && 'scale_attn_weights false',
    c.scale_attn_by_inverse_layer_idx && 'scale_attn_by_inverse_layer_idx true',
  ].filter((reason) => reason !== false);
  if (refused.length > 0) throw new WhetstoneError('unsupported', `This GPT-2 has settings that are not computed here: ${refused.join(', ')}.`, { where });
  return {
    family: 'gpt2', width: c.n_embd, layers: c.n_layer, heads: c.n_head, context: c.n_positions, vocabulary: c.vocab_size,
    head: c.architectures?.includes('GPT2ForSequenceClassification') ? 'reward' : 'next-token', layerNormEpsilon: c.layer_norm_epsilon,
  };
};
