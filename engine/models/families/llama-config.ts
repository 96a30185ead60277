/**
 * `config.json` of Llama, Mistral, Qwen2, Qwen3, Gemma 2 and Gemma 3, in the spellings of Transformers
 * before and since version 5.
 */
import * as z from 'zod';
import { WhetstoneError } from '../../common/errors.ts';
import { dialects, initialDeviation, type Dialect, type Head, type LlamaConfig } from '../config.ts';
import { count, parsed, refuseAll, tokenId, type ConfigFormat } from './config-format.ts';
import { statedOrDefault, type Settings } from './llama-defaults.ts';
import { rotaries } from './rotary-config.ts';

const positive = z.number().positive();
/** A soft cap, or null for none. */
const cap = positive.nullish();

/** A member's settings after defaults; absent ones do not exist for that member. */
const LlamaJson = z.looseObject({
  vocab_size: count,
  hidden_size: count,
  intermediate_size: count,
  num_hidden_layers: count.max(4096),
  num_attention_heads: count,
  num_key_value_heads: count.nullable(),
  head_dim: count.nullish(),
  max_position_embeddings: count,
  rms_norm_eps: positive,
  hidden_act: z.string().optional(),
  hidden_activation: z.string().optional(),
  tie_word_embeddings: z.boolean(),
  attention_bias: z.boolean().optional(),
  mlp_bias: z.boolean().optional(),
  sliding_window: count.nullish(),
  use_sliding_window: z.boolean().optional(),
  max_window_layers: z.int().optional(),
  sliding_window_pattern: count.nullish(),
  layer_types: z.array(z.string()).nullish(),
  query_pre_attn_scalar: positive.optional(),
  attn_logit_softcapping: cap,
  final_logit_softcapping: cap,
  use_bidirectional_attention: z.boolean().nullish(),
  pad_token_id: tokenId,
});
type LlamaJson = z.output<typeof LlamaJson>;

/** Differences between members that no configuration key states. */
interface Member {
  readonly class: string;
  readonly classifier?: string;
  readonly gemma: boolean;
  readonly headNorm: boolean;
  readonly bias: (json: LlamaJson) => LlamaConfig['attentionBias'];
  /** True if a layer has a window; null if the member has no layer types. */
  readonly windowed: ((json: LlamaJson, layer: number) => boolean) | null;
}

const fromFlag = ({ attention_bias }: LlamaJson): LlamaConfig['attentionBias'] =>
  attention_bias ? 'all' : 'none';
const fromLayer = (
  { use_sliding_window: on, sliding_window: window, max_window_layers: first }: LlamaJson,
  layer: number,
): boolean => on === true && window != null && layer >= first!;
const plain = { gemma: false, headNorm: false, bias: fromFlag };

const members: { readonly [D in Dialect]: Member } = {
  llama: { ...plain, class: 'Llama', windowed: null },
  mistral: { ...plain, class: 'Mistral', bias: () => 'none', windowed: null },
  qwen2: { ...plain, class: 'Qwen2', bias: () => 'query-key-value', windowed: fromLayer },
  qwen3: { ...plain, class: 'Qwen3', headNorm: true, windowed: fromLayer },
  gemma2: { ...plain, class: 'Gemma2', gemma: true, windowed: (_, layer) => layer % 2 === 0 },
  gemma3_text: {
    ...plain,
    class: 'Gemma3',
    classifier: 'Gemma3Text',
    gemma: true,
    headNorm: true,
    windowed: ({ sliding_window_pattern: every }, layer) => (layer + 1) % (every ?? NaN) !== 0,
  },
};

/** The older name of full attention. */
const currentType = (type: string): string => (type === 'attention' ? 'full_attention' : type);

const windowsOf = (json: LlamaJson, { windowed }: Member, where: string): (number | null)[] => {
  const { num_hidden_layers: layers, layer_types: given, sliding_window } = json;
  const types = given?.map(currentType);
  const window = json.use_sliding_window === false ? null : (sliding_window ?? null);
  if (!windowed) return Array<number | null>(layers).fill(window);
  const unknown = types?.find((type) => type !== 'full_attention' && type !== 'sliding_attention');
  if (unknown !== undefined)
    throw new WhetstoneError(
      'unsupported',
      `This model has layers of the type ${unknown}; only full and sliding attention are supported.`,
      { where },
    );
  if (!types && json.sliding_window_pattern === null)
    throw new WhetstoneError(
      'invalid-input',
      'sliding_window_pattern is null, and there are no layer_types.',
      { where },
    );
  if (types && types.length !== layers)
    throw new WhetstoneError(
      'invalid-input',
      `layer_types names ${types.length} layers, and num_hidden_layers is ${layers}.`,
      { where },
    );
  return Array.from({ length: layers }, (_, layer) => {
    if (!(types ? types[layer] === 'sliding_attention' : windowed(json, layer))) return null;
    return (
      window ??
      raise(
        new WhetstoneError(
          'invalid-input',
          `Layer ${layer} has a window, and the configuration has none: sliding_window is null, or ` +
            'use_sliding_window false.',
          { where },
        ),
      )
    );
  });
};
const raise = (error: WhetstoneError): never => {
  throw error;
};

const activations: Readonly<Record<string, LlamaConfig['activation']>> = {
  silu: 'silu',
  swish: 'silu',
  gelu_pytorch_tanh: 'gelu-tanh',
  gelu_new: 'gelu-tanh',
};

/**
 * Sizes of attention: a null number of key heads means as many as query heads (of Mistral until version 4 of
 * Transformers; version 5 refuses it), a null head size means width / heads.
 */
const headsOf = (
  c: LlamaJson,
  dialect: Dialect,
  where: string,
): Pick<LlamaConfig, 'heads' | 'kvHeads' | 'headSize'> => {
  const heads = c.num_attention_heads;
  const kvHeads = c.num_key_value_heads ?? heads;
  const headSize = c.head_dim ?? Math.floor(c.hidden_size / heads);
  const { gemma, class: name } = members[dialect];
  refuseAll(name, where, [
    gemma && c.num_key_value_heads === null && 'num_key_value_heads null',
    (gemma || dialect.startsWith('qwen')) && c.head_dim === null && 'head_dim null',
    (gemma || dialect === 'llama') &&
      c.hidden_size % heads !== 0 &&
      `num_attention_heads ${heads}, which does not divide hidden_size ${c.hidden_size}`,
  ]);
  if (headSize < 2 || headSize % 2 !== 0)
    throw new WhetstoneError(
      'invalid-input',
      `Heads of size ${headSize} cannot be turned: width ${c.hidden_size}, ${heads} heads.`,
      { where },
    );
  if (heads % kvHeads !== 0)
    throw new WhetstoneError('invalid-input', `${kvHeads} key heads do not divide ${heads} query heads.`, {
      where,
    });
  return { heads, kvHeads, headSize };
};

const read = (json: Settings, head: Head, where: string): LlamaConfig => {
  const dialect = parsed(z.looseObject({ model_type: z.enum(dialects) }), json, where).model_type;
  const member = members[dialect];
  const { gemma } = member;
  const c = parsed(LlamaJson, statedOrDefault(dialect, json), where);
  const named = c.hidden_activation ?? c.hidden_act ?? 'silu';
  const sizes = headsOf(c, dialect, where);
  const activation = Object.hasOwn(activations, named) ? activations[named] : undefined;
  refuseAll(member.class, where, [
    activation === undefined && `${gemma ? 'hidden_activation' : 'hidden_act'} ${named}`,
    c.use_bidirectional_attention === true && 'use_bidirectional_attention',
  ]);
  return {
    family: 'llama',
    dialect,
    width: c.hidden_size,
    layers: c.num_hidden_layers,
    ...sizes,
    innerWidth: c.intermediate_size,
    context: c.max_position_embeddings,
    vocabulary: c.vocab_size,
    head,
    pad: c.pad_token_id,
    normEpsilon: c.rms_norm_eps,
    tied: c.tie_word_embeddings,
    attentionBias: member.bias(c),
    innerBias: c.mlp_bias === true,
    headNorm: member.headNorm,
    activation: activation!,
    scale: (c.query_pre_attn_scalar ?? sizes.headSize) ** -0.5,
    ...rotaries(json, dialect, c.max_position_embeddings, where),
    windows: windowsOf(c, member, where),
    gemma,
    scoreCap: c.attn_logit_softcapping ?? null,
    logitCap: c.final_logit_softcapping ?? null,
  };
};

export const llamaFormat: ConfigFormat<LlamaConfig> = {
  types: dialects,
  classOf: ({ dialect }, head) => {
    const { class: name, classifier = name } = members[dialect];
    return head === 'reward' ? `${classifier}ForSequenceClassification` : `${name}ForCausalLM`;
  },
  read,
  // Both spellings of the rotary settings, for old and new readers.
  write: (c) => ({
    model_type: c.dialect,
    vocab_size: c.vocabulary,
    hidden_size: c.width,
    intermediate_size: c.innerWidth,
    num_hidden_layers: c.layers,
    num_attention_heads: c.heads,
    num_key_value_heads: c.kvHeads,
    head_dim: c.headSize,
    max_position_embeddings: c.context,
    rms_norm_eps: c.normEpsilon,
    hidden_act: c.activation === 'silu' ? 'silu' : 'gelu_pytorch_tanh',
    tie_word_embeddings: c.tied,
    attention_bias: c.attentionBias === 'all',
    mlp_bias: c.innerBias,
    initializer_range: initialDeviation(c.width),
    attention_dropout: 0,
    rope_theta: c.rotary.theta,
    rope_parameters: { rope_type: 'default', rope_theta: c.rotary.theta },
  }),
};
