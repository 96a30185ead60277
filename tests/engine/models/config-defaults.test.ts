import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { ModelConfig } from '../../../engine/models/config.ts';
import { forward, logitsOf } from '../../../engine/models/forward.ts';
import { fromHuggingFace } from '../../../engine/models/hugging-face.ts';
import { flatParameters } from '../../../engine/models/symbols.ts';
import { LiveModel, RowPrograms } from '../../../engine/rl/compute/live-model.ts';
import { modelGraph } from '../../../engine/rl/compute/model-graph.ts';
import { ragged } from '../../../engine/rl/kernel/rows.ts';
import { openDevice, valuesOf } from '../../../engine/runtime/index.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import { hash32 } from '../../../engine/random/random.ts';
import { input } from '../../../engine/tensor/index.ts';
import { caught } from '../../support/errors.ts';
import { formulaModel } from '../../support/families.ts';
import { uniforms } from '../../support/tensors.ts';

type Settings = Readonly<Record<string, unknown>>;
/**
 * First logits of each row, or that they equal those of the complete configuration, or that Transformers
 * rejects it.
 */
type Found = readonly number[] | 'same' | 'refused';
interface Variant {
  readonly settings: Settings;
  readonly logits: readonly number[] | 'refused';
  readonly cases: readonly (readonly [key: string, how: unknown, found: Found])[];
}
interface Family {
  readonly defaults: Settings;
  readonly variants: Readonly<Record<string, Variant>>;
  readonly long?: { readonly settings: Settings; readonly absent: Found; readonly null: Found };
}
interface Oracle {
  readonly tokens: readonly (readonly number[])[];
  readonly families: Readonly<Record<string, Family>>;
  readonly rewards: {
    readonly rows: readonly (readonly number[])[];
    readonly scores: Readonly<Record<string, { readonly stated: number[]; readonly absent: number[] }>>;
  };
}

/** What Transformers 5.23 accepts and computes; see config_defaults.py. */
const oracle = JSON.parse(
  await readFile(new URL('../../support/oracles/config-defaults.json', import.meta.url), 'utf8'),
) as Oracle;
const device = await openDevice({ id: 'cpu', threads: 1 });
afterAll(() => device.close());

const first = 6;
const logitsFor = async (config: ModelConfig, rows: readonly (readonly number[])[]): Promise<number[]> => {
  const { parameters } = formulaModel(config);
  const T = rows[0].length;
  const lookup = flatParameters(
    parameters.slots,
    input('parameters', { dtype: 'float32', shape: [parameters.size] }),
  );
  const hidden = forward({
    config,
    parameters: lookup,
    tokens: input('tokens', { dtype: 'int32', shape: [rows.length, T] }),
  });
  const program = await device.compile({
    name: `logits${hash32(JSON.stringify(config))}`,
    outputs: { logits: logitsOf(config, lookup, hidden) },
  });
  const all = valuesOf(
    await program.run({ parameters: parameters.flat, tokens: Int32Array.from(rows.flat()) }),
    'logits',
    'float32',
  );
  return rows.flatMap((_, r) => [...all.subarray(((r + 1) * T - 1) * config.vocabulary).subarray(0, first)]);
};

/** Logits by configuration: each distinct one is computed once, whatever it was read from. */
const computed = new Map<string, Promise<number[]>>();
const shortLogits = (config: ModelConfig): Promise<number[]> => {
  const key = JSON.stringify({ ...config, context: 0 });
  const found = computed.get(key) ?? logitsFor(config, oracle.tokens);
  computed.set(key, found);
  return found;
};

const near = (found: readonly number[], wanted: readonly number[]): boolean =>
  found.length === wanted.length &&
  found.every((x, i) => Math.abs(x - wanted[i]) <= 1e-4 * Math.max(1, ...wanted.map(Math.abs)));

const without = (settings: Settings, key: string): Settings =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => name !== key));
const withKey = (settings: Settings, key: string, how: unknown): Settings => {
  const rest = without(settings, key);
  return how === 'absent' ? rest : { ...rest, [key]: how === 'null' ? null : how };
};

/** Settings that Whetstone rejects although Transformers computes them, by words of the error message. */
const refusedHere = [
  'n_inner',
  'activation_function relu',
  'tie_word_embeddings false',
  'scale_attn_weights false',
  'scale_attn_by_inverse_layer_idx true',
  'add_cross_attention true',
  'is_causal false',
  'use_bidirectional_attention',
  'partial_rotary_factor',
];

/** Null values that Transformers 4 accepted and 5 rejects. */
const takenBefore = new Set(['mistral num_key_value_heads']);

/** Describes the difference from Transformers; undefined if there is none. */
const differs = async (
  json: Settings,
  whole: ModelConfig,
  found: Found,
  logits: readonly number[],
): Promise<string | undefined> => {
  let config: ModelConfig;
  try {
    config = fromHuggingFace(json, 'config.json');
  } catch (error) {
    if (!(error instanceof WhetstoneError)) throw error;
    return found === 'refused' || refusedHere.some((words) => error.message.includes(words))
      ? undefined
      : `refused here: ${error.message}`;
  }
  const isWhole = JSON.stringify({ ...config, context: 0 }) === JSON.stringify({ ...whole, context: 0 });
  // accept what Transformers rejects only for its type, or what has no meaning here, if it changes nothing
  if (found === 'refused')
    return JSON.stringify(config) === JSON.stringify(whole)
      ? undefined
      : 'Transformers refuses it, and another model is computed here';
  if (isWhole && found === 'same') return undefined;
  const ours = await shortLogits(config);
  const wanted = found === 'same' ? logits : found;
  return near(ours, wanted)
    ? undefined
    : `logits ${ours
        .slice(0, 3)
        .map((x) => x.toFixed(4))
        .join(' ')} here, ${wanted.slice(0, 3).join(' ')} there`;
};

describe.each(Object.entries(oracle.families))('%s', (family, { defaults, variants, long }) => {
  it.each(Object.entries(variants))(
    'accepts what Transformers accepts when a key is missing, null, or of another family (%s)',
    async (_, { settings, logits, cases }) => {
      const json = { model_type: family, ...settings };
      const wrong: Record<string, string> = {};
      if (logits === 'refused') {
        expect(caught(() => fromHuggingFace(json, 'config.json'))).toMatchObject({ kind: 'invalid-input' });
        return;
      }
      const whole = fromHuggingFace(json, 'config.json');
      expect(near(await shortLogits(whole), logits)).toBe(true);
      for (const [key, how, found] of cases) {
        if (how === 'null' && takenBefore.has(`${family} ${key}`)) continue;
        const difference = await differs(withKey(json, key, how), whole, found, logits);
        if (difference !== undefined) wrong[`${key} ${JSON.stringify(how)}`] = difference;
      }
      expect(wrong).toEqual({});
    },
    300_000,
  );

  it('gives a missing key the default of Transformers’ class, key by key', () => {
    const c = fromHuggingFace({ model_type: family }, 'config.json');
    const seen = valuesByKey(c);
    const d = { ...defaults };
    const unknown = Object.keys(d).filter((key) => !(key in seen) && !withoutEffect.has(key));
    expect(unknown, 'keys of Transformers that are neither read here nor known to change nothing').toEqual(
      [],
    );
    for (const key of Object.keys(d).filter((name) => name in seen)) expect(seen[key], key).toEqual(d[key]);
  });

  it.skipIf(!long)(
    'uses Transformers’ attention window when the key is missing',
    async () => {
      const tokens = [Array.from(uniforms(8, 4130), (u) => Math.floor(u * 92) + 4)];
      const json = { model_type: family, ...long!.settings };
      for (const [how, settings] of [
        ['absent', json],
        ['null', { ...json, sliding_window: null }],
      ] as const) {
        if (long![how] === 'refused')
          expect(caught(() => fromHuggingFace(settings, 'config.json'))).toMatchObject({
            kind: 'invalid-input',
          });
        else
          expect(
            near(
              await logitsFor(fromHuggingFace(settings, 'config.json'), tokens),
              long![how] as readonly number[],
            ),
            how,
          ).toBe(true);
      }
      expect(long!.absent).not.toEqual(long!.null);
    },
    300_000,
  );
});

/** The configuration as read, under the keys of Transformers' class and with its values. */
const valuesByKey = (c: ModelConfig): Settings => {
  if (c.family === 'gpt2') {
    return {
      vocab_size: c.vocabulary,
      n_positions: c.context,
      n_embd: c.width,
      n_layer: c.layers,
      n_head: c.heads,
      layer_norm_epsilon: c.layerNormEpsilon,
      pad_token_id: c.pad,
      // one value is supported, any other rejected
      n_inner: null,
      activation_function: 'gelu_new',
      scale_attn_weights: true,
      scale_attn_by_inverse_layer_idx: false,
      add_cross_attention: false,
      tie_word_embeddings: true,
      model_type: 'gpt2',
    };
  }
  if (c.family === 'network') return { hidden: c.hidden };
  const activation = c.activation === 'silu' ? 'silu' : 'gelu_pytorch_tanh';
  const windows = new Set(c.windows.filter((window) => window !== null));
  const rope = ({ theta }: typeof c.rotary) => ({ rope_theta: theta, rope_type: 'default' });
  const qwen = c.dialect.startsWith('qwen');
  const byKind = c.windowRotary && {
    full_attention: rope(c.rotary),
    sliding_attention: rope(c.windowRotary),
  };
  return {
    vocab_size: c.vocabulary,
    hidden_size: c.width,
    intermediate_size: c.innerWidth,
    num_hidden_layers: c.layers,
    num_attention_heads: c.heads,
    num_key_value_heads: c.kvHeads,
    head_dim: c.headSize,
    max_position_embeddings: c.context,
    rms_norm_eps: c.normEpsilon,
    tie_word_embeddings: c.tied,
    pad_token_id: c.pad,
    model_type: c.dialect,
    hidden_act: activation,
    hidden_activation: activation,
    attention_bias: c.attentionBias === 'all',
    mlp_bias: c.innerBias,
    rope_parameters: byKind ?? rope(c.rotary),
    query_pre_attn_scalar: Math.round(c.scale ** -2),
    final_logit_softcapping: c.logitCap,
    attn_logit_softcapping: c.scoreCap,
    sliding_window: [...windows][0] ?? null,
    layer_types: c.windows.map((window) => (window === null ? 'full_attention' : 'sliding_attention')),
    ...(qwen && { use_sliding_window: windows.size > 0 }),
  };
};

/**
 * Keys of Transformers' classes that do not change a model's logits: training, other heads, output, and keys
 * that `config_defaults.py` shows to have no effect.
 */
const withoutEffect = new Set([
  'transformers_version',
  'architectures',
  'output_hidden_states',
  'return_dict',
  'dtype',
  'chunk_size_feed_forward',
  'is_encoder_decoder',
  'id2label',
  'label2id',
  'problem_type',
  'initializer_range',
  'use_cache',
  'bos_token_id',
  'eos_token_id',
  'attention_dropout',
  'resid_pdrop',
  'embd_pdrop',
  'attn_pdrop',
  'summary_type',
  'summary_use_proj',
  'summary_activation',
  'summary_proj_to_labels',
  'summary_first_dropout',
  'reorder_and_upcast_attn',
  'pretraining_tp',
  '_name_or_path',
  'output_attentions',
  // off by default: used by Qwen only with use_sliding_window; rejected where true
  'max_window_layers',
  'use_bidirectional_attention',
]);

describe.each(Object.entries(oracle.rewards.scores))('a reward model of %s', (family, scores) => {
  it.each(['stated', 'absent'] as const)(
    'reads the last token that is not padding, with pad_token_id %s',
    async (how) => {
      const settings = without(oracle.families[family].variants[''].settings, 'pad_token_id');
      const json = {
        model_type: family,
        ...settings,
        id2label: { 0: 'reward' },
        architectures: [`${family === 'gpt2' ? 'GPT2' : classOf[family]}ForSequenceClassification`],
        ...(how === 'stated' && { pad_token_id: 3 }),
      };
      const model = formulaModel(fromHuggingFace(json, 'config.json'));
      const live = new LiveModel(new RowPrograms(device, modelGraph(model.config)), model.parameters);
      expect(near([...(await live.scores(ragged(oracle.rewards.rows, Int32Array)))], scores[how])).toBe(true);
    },
  );
});
const classOf: Readonly<Record<string, string>> = {
  llama: 'Llama',
  qwen3: 'Qwen3',
  gemma2: 'Gemma2',
  gemma3_text: 'Gemma3Text',
};
