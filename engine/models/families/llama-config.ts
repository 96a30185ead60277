/** `config.json` of Llama, Mistral, Qwen2, Qwen3, Gemma 2 and Gemma 3, in the spellings of Transformers before and since version 5. */
import { z } from 'zod';
import { WhetstoneError } from '../../schema/errors.ts';
import { dialects, initialDeviation, type Dialect, type Head, type LlamaConfig, type RotaryConfig } from '../config.ts';
import { count, parsed, refuseAll, tokenId, type ConfigFormat } from './config-format.ts';

const positive = z.number().positive();
const flag = z.boolean().nullish();

/** Settings that change the computation are read so that they can be refused. */
const LlamaJson = z.looseObject({
  model_type: z.enum(dialects),
  vocab_size: count, hidden_size: count, intermediate_size: count, num_hidden_layers: count.max(4096), num_attention_heads: count,
  num_key_value_heads: count.nullish(), head_dim: count.nullish(),
  max_position_embeddings: count, rms_norm_eps: positive.default(1e-6),
  hidden_act: z.string().nullish(), hidden_activation: z.string().nullish(),
  tie_word_embeddings: flag, attention_bias: flag, mlp_bias: flag,
  rope_theta: positive.nullish(), rope_scaling: z.looseObject({}).nullish(), rope_parameters: z.looseObject({}).nullish(), rope_local_base_freq: positive.nullish(),
  sliding_window: count.nullish(), use_sliding_window: flag, max_window_layers: z.int().nullish(), sliding_window_pattern: count.nullish(),
  layer_types: z.array(z.string()).nullish(),
  query_pre_attn_scalar: positive.nullish(), attn_logit_softcapping: positive.nullish(), final_logit_softcapping: positive.nullish(),
  use_bidirectional_attention: flag, pretraining_tp: z.number().nullish(),
  pad_token_id: tokenId,
});
type LlamaJson = z.output<typeof LlamaJson>;

/** What a configuration means by what it leaves out. `window`: tokens that a layer sees back, as the members of the family choose its layers. */
interface Defaults {
  readonly class: string;
  readonly classifier?: string;
  readonly headSize?: number;
  readonly theta: number;
  readonly gemma: boolean;
  readonly headNorm: boolean;
  readonly tied: boolean;
  readonly bias: (json: LlamaJson) => LlamaConfig['attentionBias'];
  readonly windowed: (json: LlamaJson, layer: number) => boolean;
}

const ifAsked = ({ attention_bias }: LlamaJson): LlamaConfig['attentionBias'] => (attention_bias ? 'all' : 'none');
const fromLayer = ({ use_sliding_window, max_window_layers }: LlamaJson, layer: number): boolean => use_sliding_window === true && layer >= (max_window_layers ?? 28);
const plain = { gemma: false, headNorm: false, tied: false, theta: 10_000, bias: ifAsked };

const members: { readonly [D in Dialect]: Defaults } = {
  llama: { ...plain, class: 'Llama', windowed: () => false },
  mistral: { ...plain, class: 'Mistral', bias: () => 'none', windowed: () => true },
  qwen2: { ...plain, class: 'Qwen2', bias: () => 'query-key-value', windowed: fromLayer },
  qwen3: { ...plain, class: 'Qwen3', headNorm: true, headSize: 128, windowed: fromLayer },
  gemma2: { ...plain, class: 'Gemma2', gemma: true, tied: true, headSize: 256, windowed: (_, layer) => layer % 2 === 0 },
  gemma3_text: {
    ...plain, class: 'Gemma3', classifier: 'Gemma3Text', gemma: true, headNorm: true, tied: true, headSize: 256, theta: 1_000_000,
    windowed: ({ sliding_window_pattern: every }, layer) => (layer + 1) % (every ?? 6) !== 0,
  },
};

const windowsOf = (json: LlamaJson, defaults: Defaults, where: string): (number | null)[] => {
  const { num_hidden_layers: layers, layer_types: types, sliding_window: window } = json;
  const unknown = types?.find((type) => type !== 'full_attention' && type !== 'sliding_attention');
  if (unknown !== undefined) throw new WhetstoneError('unsupported', `This model has layers of the type ${unknown}; only full and sliding attention are computed here.`, { where });
  if (types && types.length !== layers) throw new WhetstoneError('invalid-input', `layer_types names ${types.length} layers, and num_hidden_layers is ${layers}.`, { where });
  return Array.from({ length: layers }, (_, layer) => ((types ? types[layer] === 'sliding_attention' : defaults.windowed(json, layer)) ? window ?? null : null));
};

const Scaling = z.looseObject({
  rope_type: z.string().nullish(), type: z.string().nullish(), rope_theta: positive.nullish(), factor: positive.nullish(), partial_rotary_factor: z.number().nullish(),
  low_freq_factor: positive.nullish(), high_freq_factor: positive.nullish(), original_max_position_embeddings: count.nullish(),
  beta_fast: positive.nullish(), beta_slow: positive.nullish(), attention_factor: positive.nullish(), mscale: z.number().nullish(), mscale_all_dim: z.number().nullish(), truncate: flag,
});

/** One rotary setting, of either spelling. */
const rotaryOf = (given: unknown, theta: number, context: number, where: string): RotaryConfig => {
  const s = parsed(Scaling, given ?? {}, where), kind = s.rope_type ?? s.type ?? 'default';
  if (s.partial_rotary_factor != null && s.partial_rotary_factor !== 1) refuseAll('model', where, [`partial_rotary_factor ${s.partial_rotary_factor}`]);
  const need = (name: 'factor' | 'low_freq_factor' | 'high_freq_factor' | 'original_max_position_embeddings'): number =>
    s[name] ?? raise(new WhetstoneError('invalid-input', `The rotary scaling '${kind}' lacks ${name}.`, { where }));
  const base = s.rope_theta ?? theta;
  switch (kind) {
    // Dynamic scaling begins past the longest sequence that is read here.
    case 'default': case 'dynamic': return { theta: base, scaling: { kind: 'none' } };
    case 'linear': return { theta: base, scaling: { kind, factor: need('factor') } };
    case 'llama3': return {
      theta: base, scaling: { kind, factor: need('factor'), lowFrequencyFactor: need('low_freq_factor'), highFrequencyFactor: need('high_freq_factor'), trainedContext: need('original_max_position_embeddings') },
    };
    case 'yarn': {
      const trainedContext = s.original_max_position_embeddings ?? context, factor = need('factor');
      return { theta: base, scaling: { kind, factor, trainedContext, betaFast: s.beta_fast ?? 32, betaSlow: s.beta_slow ?? 1, truncate: s.truncate ?? true, attentionFactor: yarnAmplitude(factor, s) } };
    }
    default: throw new WhetstoneError('unsupported', `Rotary scaling of the type ${JSON.stringify(kind)} is not computed here; default, linear, dynamic, llama3 and yarn are.`, { where });
  }
};
const raise = (error: WhetstoneError): never => { throw error; };

/** YaRN's temperature of attention, as an amplitude of cosines and sines (arXiv:2309.00071, equation 22). */
const yarnAmplitude = (factor: number, { attention_factor: given, mscale, mscale_all_dim: all }: z.output<typeof Scaling>): number => {
  const of = (weight: number) => (factor <= 1 ? 1 : 0.1 * weight * Math.log(factor) + 1);
  return given ?? (mscale && all ? of(mscale) / of(all) : of(1));
};

/** Rotary settings of full layers and of those with a window (null: the same). */
const rotaries = (json: LlamaJson, theta: number, where: string): Pick<LlamaConfig, 'rotary' | 'windowRotary'> => {
  const own = json.rope_theta ?? theta, context = json.max_position_embeddings;
  const given: Readonly<Record<string, unknown>> = json.rope_parameters ?? json.rope_scaling ?? {};
  const byLayer = 'full_attention' in given || 'sliding_attention' in given;
  const rotary = rotaryOf(byLayer ? given.full_attention : given, own, context, where);
  if (json.model_type !== 'gemma3_text') return { rotary, windowRotary: null };
  return { rotary, windowRotary: rotaryOf(byLayer ? given.sliding_attention : {}, json.rope_local_base_freq ?? 10_000, context, where) };
};

const read = (json: unknown, head: Head, where: string): LlamaConfig => {
  const c = parsed(LlamaJson, json, where), dialect = c.model_type, defaults = members[dialect];
  const heads = c.num_attention_heads, kvHeads = c.num_key_value_heads ?? heads, headSize = c.head_dim ?? defaults.headSize ?? c.hidden_size / heads;
  const activation = (defaults.gemma ? c.hidden_activation ?? c.hidden_act ?? 'gelu_pytorch_tanh' : c.hidden_act ?? 'silu');
  if (!Number.isInteger(headSize) || headSize % 2 !== 0) throw new WhetstoneError('invalid-input', `Heads of size ${headSize} cannot be turned: width ${c.hidden_size}, ${heads} heads.`, { where });
  if (heads % kvHeads !== 0) throw new WhetstoneError('invalid-input', `${kvHeads} key heads do not divide ${heads} query heads.`, { where });
  refuseAll(defaults.class, where, [
    !['silu', 'gelu_pytorch_tanh'].includes(activation) && `hidden_act ${activation}`,
    c.use_bidirectional_attention === true && 'use_bidirectional_attention',
  ]);
  return {
    family: 'llama', dialect, width: c.hidden_size, layers: c.num_hidden_layers, heads, kvHeads, headSize, innerWidth: c.intermediate_size,
    context: c.max_position_embeddings, vocabulary: c.vocab_size, head, pad: c.pad_token_id, normEpsilon: c.rms_norm_eps,
    tied: c.tie_word_embeddings ?? defaults.tied, attentionBias: defaults.bias(c), innerBias: dialect === 'llama' && c.mlp_bias === true, headNorm: defaults.headNorm,
    activation: activation === 'silu' ? 'silu' : 'gelu-tanh',
    scale: (defaults.gemma ? c.query_pre_attn_scalar ?? 256 : headSize) ** -0.5,
    ...rotaries(c, defaults.theta, where), windows: windowsOf(c, defaults, where), gemma: defaults.gemma,
    scoreCap: dialect === 'gemma2' ? capOf(c, 'attn_logit_softcapping', 50) : c.attn_logit_softcapping ?? null,
    logitCap: dialect === 'gemma2' ? capOf(c, 'final_logit_softcapping', 30) : c.final_logit_softcapping ?? null,
  };
};

/** Null switches a cap off, and a missing one has a default. */
const capOf = (json: LlamaJson, name: 'attn_logit_softcapping' | 'final_logit_softcapping', standard: number): number | null => {
  const given = json[name];
  return given === undefined ? standard : given;
};

export const llamaFormat: ConfigFormat<LlamaConfig> = {
  types: dialects,
  classOf: ({ dialect }, head) => {
    const { class: name, classifier = name } = members[dialect];
    return head === 'reward' ? `${classifier}ForSequenceClassification` : `${name}ForCausalLM`;
  },
  read,
  // Both spellings of the rotary settings, for readers old and new.
  write: (c) => ({
    model_type: c.dialect,
    vocab_size: c.vocabulary, hidden_size: c.width, intermediate_size: c.innerWidth, num_hidden_layers: c.layers, num_attention_heads: c.heads,
    num_key_value_heads: c.kvHeads, head_dim: c.headSize, max_position_embeddings: c.context, rms_norm_eps: c.normEpsilon, hidden_act: c.activation === 'silu' ? 'silu' : 'gelu_pytorch_tanh',
    tie_word_embeddings: c.tied, attention_bias: c.attentionBias === 'all', mlp_bias: c.innerBias, initializer_range: initialDeviation(c.width), attention_dropout: 0,
    rope_theta: c.rotary.theta, rope_parameters: { rope_type: 'default', rope_theta: c.rotary.theta },
  }),
};
