/** Reads and writes Transformers' `config.json`: family, head, sizes. */
import { WhetstoneError } from '../common/errors.ts';
import { SoftPrompt } from '../schema/model.ts';
import { specials } from '../text/tokenizer.ts';
import type { Head, ModelConfig } from './config.ts';
import { parsed, refuseAll, type ConfigFormat } from './families/config-format.ts';
import { gpt2Format } from './families/gpt2-config.ts';
import { llamaFormat } from './families/llama-config.ts';
import { networkFormat } from './families/network-config.ts';

const formats: { readonly [F in ModelConfig['family']]: ConfigFormat<Extract<ModelConfig, { family: F }>> } =
  { gpt2: gpt2Format, llama: llamaFormat, network: networkFormat };
const formatOf = (config: ModelConfig): ConfigFormat<ModelConfig> =>
  formats[config.family] as unknown as ConfigFormat<ModelConfig>;

type Json = Readonly<Record<string, unknown>>;

/** JSON that keeps the spelling of its numbers (ECMAScript's source text access). */
interface ExactJson {
  parse(
    text: string,
    revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(source: string): unknown;
}
const exact = JSON as unknown as ExactJson;

/**
 * The configuration as a file. For a loaded model, `loaded` is its original file: it stays unchanged except
 * for the fields of a changed head or soft prompt. Numbers keep their spelling: Transformers takes 30.0 for a
 * soft cap, and not 30.
 */
export const configFile = (config: ModelConfig, loaded?: string): string => {
  const format = formatOf(config);
  const name = format.classOf(config, config.head);
  const names = Array.from({ length: config.labels ?? 1 }, (_, label) =>
    label === 0 ? 'reward' : `reward${label + 1}`,
  );
  const classification = {
    id2label: { ...names },
    label2id: Object.fromEntries(names.map((name, label) => [name, label])),
    problem_type: 'regression',
  };
  const soft = config.softPrompt && { [softPromptField]: config.softPrompt };
  if (loaded === undefined) {
    return text({
      ...format.write(config),
      ...soft,
      architectures: [name],
      bos_token_id: specials.begin,
      eos_token_id: specials.end,
      pad_token_id: specials.pad,
      ...(config.head === 'reward' && classification),
      dtype: 'float32',
    });
  }
  const was = JSON.parse(loaded) as Json;
  const isSameHead =
    headOf(was) === config.head && (config.head === 'next-token' || labelCount(was) === names.length);
  if (isSameHead && JSON.stringify(was[softPromptField]) === JSON.stringify(config.softPrompt)) return loaded;
  const settings = exact.parse(loaded, (_, value, { source }) =>
    typeof value === 'number' && source !== undefined ? exact.rawJSON(source) : value,
  ) as Json;
  return text({
    ...settings,
    ...soft,
    architectures: [name],
    ...(config.head === 'reward' && { ...classification, pad_token_id: config.pad }),
  });
};
/** Where the file states a soft prompt, which no other tool reads: for those it is the plain model. */
const softPromptField = 'whetstone_soft_prompt';
const text = (settings: Json): string => `${JSON.stringify(settings, null, 1)}\n`;

const headOf = ({ architectures }: Json): Head =>
  named(architectures).some((name) => name.endsWith('ForSequenceClassification')) ? 'reward' : 'next-token';
const named = (architectures: unknown): string[] =>
  Array.isArray(architectures) ? architectures.filter((name) => typeof name === 'string') : [];

/** Settings that change the computation of any Transformers model, whatever its family. */
const refusals: readonly (readonly [name: string, holds: (settings: Json) => boolean])[] = [
  ['is_causal false', ({ is_causal: causal }) => causal === false],
  ['is_encoder_decoder true', ({ is_encoder_decoder: both }) => both === true],
  ['settings of single layers (per_layer_config)', ({ per_layer_config: layers }) => layers != null],
  ['quantized weights (quantization_config)', ({ quantization_config: quantized }) => quantized != null],
  ['a configuration within it (text_config)', ({ text_config: inner }) => inner != null],
];

/**
 * Reads a `config.json`. Throws `unsupported` for another architecture and for settings that this engine
 * does not support.
 */
export const fromHuggingFace = (json: unknown, where: string): ModelConfig => {
  const settings: Json =
    typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Json) : {};
  const type = settings.model_type;
  const format = Object.values(formats).find(({ types }) => types.includes(String(type))) as
    ConfigFormat<ModelConfig> | undefined;
  if (!format) {
    throw new WhetstoneError(
      'unsupported',
      `This model’s architecture is ${JSON.stringify(type) ?? 'not named'}, which is not supported.`,
      {
        where,
        hint: `There are: ${Object.values(formats)
          .flatMap(({ types }) => types)
          .join(', ')}.`,
      },
    );
  }
  refuseAll(
    'model',
    where,
    refusals.filter(([, holds]) => holds(settings)).map(([name]) => name),
  );
  const head = headOf(settings);
  const config = withStated(format.read(settings, head, where), settings, where);
  const own = format.classOf(config, head);
  const classes = named(settings.architectures);
  if (classes.length > 0 && !classes.includes(own))
    throw new WhetstoneError('unsupported', `The model is a ${classes.join(', ')}; a ${own} can be loaded.`, {
      where,
    });
  const labels = labelCount(settings);
  return head === 'reward' && labels > 1 ? { ...config, labels } : config;
};

const withStated = (config: ModelConfig, { [softPromptField]: stated }: Json, where: string): ModelConfig =>
  stated === undefined ? config : { ...config, softPrompt: parsed(SoftPrompt, stated, where) };

/** Labels of a classifier; Transformers' default is 2. */
const labelCount = ({ id2label, num_labels: labels }: Json): number =>
  typeof id2label === 'object' && id2label !== null
    ? Object.keys(id2label).length
    : typeof labels === 'number'
      ? labels
      : 2;
