/**
 * Rotary settings of `config.json`, in the spellings of Transformers before and since version 5, read in its
 * order of precedence.
 */
import * as z from 'zod';
import { WhetstoneError } from '../../common/errors.ts';
import type { LlamaConfig, RotaryConfig } from '../config.ts';
import { count, parsed, refuseAll } from './config-format.ts';
import type { Settings } from './llama-defaults.ts';

const positive = z.number().positive();

const Scaling = z.looseObject({
  rope_type: z.string().nullish(),
  type: z.string().nullish(),
  rope_theta: positive.nullish(),
  factor: positive.nullish(),
  partial_rotary_factor: z.number().nullish(),
  low_freq_factor: positive.nullish(),
  high_freq_factor: positive.nullish(),
  original_max_position_embeddings: count.nullish(),
  beta_fast: positive.nullish(),
  beta_slow: positive.nullish(),
  attention_factor: positive.nullish(),
  mscale: z.number().nullish(),
  mscale_all_dim: z.number().nullish(),
  truncate: z.boolean().nullish(),
});
type Scaling = z.output<typeof Scaling>;

/** Places of rotary settings in a file. */
const Given = z.looseObject({
  rope_theta: positive.nullish(),
  rope_local_base_freq: positive.nullish(),
  partial_rotary_factor: z.number().nullish(),
  rope_scaling: z.looseObject({}).nullish(),
  rope_parameters: z.looseObject({}).nullish(),
  original_max_position_embeddings: count.nullish(),
});

/** Context for reading one layer kind's settings. */
interface Beside {
  readonly theta: number | null;
  readonly context: number;
  readonly trained: number | null | undefined;
  readonly where: string;
}

/** One rotary setting, of either spelling. */
const rotaryOf = (given: unknown, { theta, context, trained, where }: Beside): RotaryConfig => {
  const s = parsed(Scaling, given ?? {}, where);
  const kind = s.rope_type ?? s.type ?? 'default';
  const base =
    s.rope_theta ??
    theta ??
    raise(
      new WhetstoneError('invalid-input', 'The base of the rotary positions is null.', {
        where,
        hint: 'Leave it out, or state it.',
      }),
    );
  const need = (name: 'factor' | 'low_freq_factor' | 'high_freq_factor'): number =>
    s[name] ??
    raise(new WhetstoneError('invalid-input', `The rotary scaling '${kind}' lacks ${name}.`, { where }));
  const trainedContext = trained ?? s.original_max_position_embeddings ?? context;
  const isTrained = kind === 'llama3' || kind === 'yarn';
  if (isTrained && trained === null)
    throw new WhetstoneError('invalid-input', 'original_max_position_embeddings is null.', {
      where,
      hint: 'Leave it out, or state it.',
    });
  // Transformers reads the factor only for scaled kinds
  if (kind !== 'default')
    refuseAll('model', where, [
      (s.partial_rotary_factor ?? 1) !== 1 && `partial_rotary_factor ${s.partial_rotary_factor}`,
    ]);
  switch (kind) {
    // Dynamic scaling begins beyond the longest sequence supported here.
    case 'default':
    case 'dynamic':
      return { theta: base, scaling: { kind: 'none' } };
    case 'linear':
      return { theta: base, scaling: { kind, factor: need('factor') } };
    case 'llama3':
      return {
        theta: base,
        scaling: {
          kind,
          factor: need('factor'),
          lowFrequencyFactor: need('low_freq_factor'),
          highFrequencyFactor: need('high_freq_factor'),
          trainedContext,
        },
      };
    case 'yarn':
      return { theta: base, scaling: yarn(s, need('factor'), trainedContext) };
    default:
      throw new WhetstoneError(
        'unsupported',
        `Rotary scaling of the type ${JSON.stringify(kind)} is not supported; default, linear, ` +
          'dynamic, llama3 and yarn are.',
        { where },
      );
  }
};
const raise = (error: WhetstoneError): never => {
  throw error;
};

const yarn = (s: Scaling, factor: number, trainedContext: number): RotaryConfig['scaling'] => ({
  kind: 'yarn',
  factor,
  trainedContext,
  betaFast: s.beta_fast ?? 32,
  betaSlow: s.beta_slow ?? 1,
  truncate: s.truncate ?? true,
  attentionFactor: yarnAmplitude(factor, s),
});

/** YaRN's temperature of attention, as an amplitude of cosines and sines (arXiv:2309.00071, equation 22). */
const yarnAmplitude = (
  factor: number,
  { attention_factor: given, mscale, mscale_all_dim: all }: Scaling,
): number => {
  const of = (weight: number) => (factor <= 1 ? 1 : 0.1 * weight * Math.log(factor) + 1);
  return given ?? (mscale && all ? of(mscale) / of(all) : of(1));
};

/** The stated value, null included; the default if absent. */
const stated = (given: number | null | undefined, otherwise: number): number | null =>
  given === undefined ? otherwise : given;

const isByLayer = (given: object): boolean => 'full_attention' in given || 'sliding_attention' in given;

/**
 * Rotary settings of full layers and of those with a window (null: the same). A non-empty `rope_scaling`
 * takes precedence over `rope_parameters`, and both over the separate `rope_theta`. Only Gemma 3 has
 * settings by kind of layer; there, settings without a kind are ignored.
 */
export const rotaries = (
  json: Settings,
  dialect: LlamaConfig['dialect'],
  context: number,
  where: string,
): Pick<LlamaConfig, 'rotary' | 'windowRotary'> => {
  const c = parsed(Given, json, where);
  if (dialect === 'gemma3_text') return byLayer(c, context, where);
  const scaling =
    c.rope_scaling && Object.keys(c.rope_scaling).length > 0 ? c.rope_scaling : (c.rope_parameters ?? {});
  refuseAll('model', where, [isByLayer(scaling) && 'rotary settings by kind of layer']);
  const given =
    c.partial_rotary_factor == null
      ? scaling
      : { partial_rotary_factor: c.partial_rotary_factor, ...scaling };
  return {
    rotary: rotaryOf(given, {
      theta: stated(c.rope_theta, 10_000),
      context,
      trained: c.original_max_position_embeddings,
      where,
    }),
    windowRotary: null,
  };
};

const byLayer = (
  c: z.output<typeof Given>,
  context: number,
  where: string,
): Pick<LlamaConfig, 'rotary' | 'windowRotary'> => {
  const { full_attention: full, sliding_attention: sliding } = c.rope_parameters ?? {};
  refuseAll('Gemma 3', where, [
    c.rope_scaling != null &&
      c.rope_parameters != null &&
      full == null &&
      'rope_scaling beside rope_parameters that lack full_attention',
    (c.partial_rotary_factor ?? 1) !== 1 && `partial_rotary_factor ${c.partial_rotary_factor}`,
    // Transformers looks for it next to the kinds of layers, where it is absent
    [full, sliding].some(
      (given) => (given as { truncate?: unknown } | null | undefined)?.truncate === false,
    ) && 'truncate false by kind of layer',
  ]);
  const common = { context, trained: undefined, where };
  return {
    rotary: rotaryOf(
      { ...(full as object | undefined), ...c.rope_scaling },
      { theta: stated(c.rope_theta, 1_000_000), ...common },
    ),
    windowRotary: rotaryOf(sliding, { theta: stated(c.rope_local_base_freq, 10_000), ...common }),
  };
};
