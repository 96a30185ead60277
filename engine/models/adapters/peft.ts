/** Reads and writes adapter folders in PEFT's format: `adapter_config.json`, `adapter_model.safetensors`. */
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, isAbsolute, join, relative, resolve } from 'node:path';
import * as z from 'zod';
import type { BaseFormat } from '../../schema/adapter.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { BaseRef } from '../../schema/messages.ts';
import type { ModelConfig } from '../config.ts';
import { transformerOf } from '../families/index.ts';
import { ParameterSet } from '../parameters.ts';
import type { QuantizedSet } from '../quantized.ts';
import { parseJson, readBytes } from '../weights/durable.ts';
import { floatTypeOf, type StoredTensor } from '../weights/safetensors.ts';
import { readTensors, tensorsOf, type WeightFolder } from '../weights/tensor-file.ts';
import { adapterSlots, headParameter, type Adapter, type LoraSettings } from './lora.ts';

export const adapterFiles = {
  config: 'adapter_config.json',
  weights: 'adapter_model.safetensors',
  base: 'base.json',
} as const;

/** PEFT's prefix for the names of the wrapped model. */
const wrapped = 'base_model.model.';

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
export const isAdapterFolder = (folder: string): Promise<boolean> =>
  exists(join(folder, adapterFiles.config));

const PeftConfig = z.looseObject({
  peft_type: z.string(),
  task_type: z.string().nullish(),
  base_model_name_or_path: z.string().nullish(),
  r: z.int().min(1),
  lora_alpha: z.number().positive(),
  target_modules: z.union([z.array(z.string()), z.string()]).nullish(),
  use_rslora: z.boolean().default(false),
  bias: z.string().default('none'),
  use_dora: z.boolean().default(false),
  lora_bias: z.boolean().default(false),
  modules_to_save: z.array(z.string()).nullish(),
  rank_pattern: z.record(z.string(), z.unknown()).nullish(),
  alpha_pattern: z.record(z.string(), z.unknown()).nullish(),
  init_lora_weights: z.union([z.boolean(), z.string()]).nullish(),
  alora_invocation_tokens: z.array(z.int()).nullish(),
});
type PeftConfig = z.infer<typeof PeftConfig>;

/** Initializations with which PEFT also changes the model's own matrices on loading. */
const changingBase = /^(pissa|corda|olora|loftq|lora_ga)/i;

/** The first setting of an adapter's configuration that this engine does not support. */
const notComputed = (config: PeftConfig): string | undefined => {
  const patterns = [config.rank_pattern, config.alpha_pattern].some(
    (pattern) => Object.keys(pattern ?? {}).length > 0,
  );
  // PEFT adds both names of a classifier's head to every configuration it writes
  const saved = config.modules_to_save?.find((name) => !['score', 'classifier'].includes(name));
  if (config.peft_type !== 'LORA') return `is of type ${config.peft_type}`;
  if (config.use_dora) return 'uses DoRA';
  if (config.bias !== 'none' || config.lora_bias) return 'trains biases';
  if (patterns) return 'has ranks or strengths that differ between layers';
  if (typeof config.init_lora_weights === 'string' && changingBase.test(config.init_lora_weights))
    return `also changes the model’s own matrices (${config.init_lora_weights})`;
  if (config.alora_invocation_tokens) return 'acts only behind certain tokens';
  return saved === undefined ? undefined : `holds the whole module ${saved}`;
};

const readConfig = async (folder: string): Promise<PeftConfig> => {
  const path = join(folder, adapterFiles.config);
  const parsed = PeftConfig.safeParse(parseJson(await readBytes(path, 'adapter_config.json'), path));
  if (!parsed.success)
    throw new WhetstoneError(
      'invalid-input',
      `The adapter’s configuration is not complete: ${z.prettifyError(parsed.error)}`,
      { where: path },
    );
  const reason = notComputed(parsed.data);
  if (reason !== undefined)
    throw new WhetstoneError('unsupported', `The adapter ${reason}, which is not supported.`, {
      where: path,
      hint: 'Merge it into its model with the tool that made it, and load the model.',
    });
  return parsed.data;
};

/**
 * Target names for PEFT's configuration: the last parts of the layers' names, or full names if these would
 * match other layers too.
 */
const targetModules = (config: ModelConfig, { parameters, settings }: Adapter): string[] => {
  const layers = parameters.slots
    .filter(({ name }) => name.endsWith('.lora_A.weight'))
    .map(({ name }) => name.replace('.lora_A.weight', ''));
  const ends = [...new Set(layers.map((name) => name.split('.').at(-1) ?? name))];
  return adapterSlots(config, { ...settings, targets: ends }).length === parameters.slots.length
    ? ends
    : layers;
};

/**
 * The two JSON files of an adapter folder, and its tensors by their names in PEFT. `folder` is the final
 * location.
 */
export const toPeft = (
  {
    config,
    adapter,
    quantized,
  }: { readonly config: ModelConfig; readonly adapter: Adapter; readonly quantized?: QuantizedSet },
  folder: string,
): { config: object; base: object; tensors: Record<string, StoredTensor> } => {
  const {
    settings: { rank, alpha, rsLora },
    parameters,
    base,
  } = adapter;
  return {
    config: {
      peft_type: 'LORA',
      task_type: config.head === 'reward' ? 'SEQ_CLS' : 'CAUSAL_LM',
      base_model_name_or_path: base.path,
      r: rank,
      lora_alpha: alpha,
      use_rslora: rsLora,
      target_modules: targetModules(config, adapter),
      fan_in_fan_out: transformerOf(config).layout === 'in-out',
      bias: 'none',
      lora_dropout: 0,
      inference_mode: true,
      modules_to_save: config.head === 'reward' ? ['score'] : null,
    },
    base: {
      path: relative(folder, base.path).replaceAll('\\', '/'),
      hash: base.hash,
      ...(quantized && { quantized: { format: quantized.format, hash: quantized.hash } }),
    },
    tensors: Object.fromEntries(
      parameters.slots.map(({ name, shape }) => [wrapped + name, { shape, data: parameters.view(name) }]),
    ),
  };
};

const BaseFile = z.strictObject({
  path: z.string(),
  hash: z.string().nullable(),
  /** Quantization of the base matrices during training. */
  quantized: z.strictObject({ format: z.enum(['int8', 'int4', 'nf4']), hash: z.string() }).optional(),
});

/** Whetstone's note on an adapter's base model; undefined in a folder written by another tool. */
const readNote = async (folder: string): Promise<z.infer<typeof BaseFile> | undefined> => {
  const file = join(folder, adapterFiles.base);
  if (!(await exists(file))) return undefined;
  const own = BaseFile.safeParse(parseJson(await readBytes(file, adapterFiles.base), file));
  if (own.success) return own.data;
  throw new WhetstoneError(
    'invalid-input',
    `The adapter’s note of its model is not complete: ${z.prettifyError(own.error)}`,
    { where: file },
  );
};

/** The quantization of the base model during training, and the hash of the quantized values. */
export const formatOfAdapter = async (
  folder: string,
): Promise<{ readonly format: BaseFormat; readonly hash?: string }> =>
  (await readNote(folder))?.quantized ?? { format: 'float32' };

/** Path of a model in the cache of Hugging Face's tools. */
const cached = (name: string): string =>
  join(
    process.env.HF_HUB_CACHE ?? join(process.env.HF_HOME ?? join(homedir(), '.cache', 'huggingface'), 'hub'),
    `models--${name.replaceAll('/', '--')}`,
  );

/** The known model with this name, or with a folder of this name. Throws `conflict` if two folders match. */
const amongKnown = (named: string, known: readonly NamedFolder[], where: string): string[] => {
  const exactly = known.filter(({ name }) => name === named);
  const found =
    exactly.length > 0 ? exactly : known.filter(({ folder }) => basename(folder) === basename(named));
  const folders = [...new Set(found.map(({ folder }) => folder))];
  if (folders.length > 1)
    throw new WhetstoneError(
      'conflict',
      `Several models could be the one that this adapter names, ${named}: ${folders.join(', ')}.`,
      { where, hint: 'Give one of them this name, or write its folder into adapter_config.json.' },
    );
  return folders;
};

/** A model's folder and its display name. */
export interface NamedFolder {
  readonly name: string;
  readonly folder: string;
}

/**
 * The folder of an adapter's base model, as given by `base.json` or `adapter_config.json`: an absolute path,
 * a path relative to the adapter's folder, a model of `known`, or one in the cache of Hugging Face's tools.
 * Throws `not-found` if it does not exist.
 */
export const baseOfAdapter = async (folder: string, known: readonly NamedFolder[] = []): Promise<BaseRef> => {
  const { base_model_name_or_path: named } = await readConfig(folder);
  const own = await readNote(folder);
  const places = [...(own ? [resolve(folder, own.path)] : []), ...(named ? [resolve(folder, named)] : [])];
  for (const path of places)
    if (path !== folder && (await exists(path))) return { path, hash: own?.hash ?? null };
  const listed = named && !own ? amongKnown(named, known, folder) : [];
  if (named && !isAbsolute(named)) listed.push(cached(named));
  for (const path of listed) if (await exists(path)) return { path, hash: null };
  throw new WhetstoneError(
    'not-found',
    `The base model of this adapter is missing: ${named ?? own?.path ?? 'it is not named'}.`,
    {
      where: folder,
      hint:
        'An adapter holds only the changes to its base model. Add the base model’s folder to the ' +
        'workspace, or put it where the adapter says, and open the adapter again.',
    },
  );
};

/**
 * The head of an adapter's model. PEFT's configuration does not give the number of labels: the head's tensor
 * does.
 */
export const headOfAdapter = async (folder: string): Promise<Pick<ModelConfig, 'head' | 'labels'>> => {
  if ((await readConfig(folder)).task_type !== 'SEQ_CLS') return { head: 'next-token' };
  const labels =
    (await tensorsOf(join(folder, adapterFiles.weights))).get(wrapped + headParameter)?.entry.shape[0] ?? 1;
  return { head: 'reward', ...(labels > 1 && { labels }) };
};

/**
 * Targets that name exactly the layers of a file: those of the configuration, or each layer by its full name.
 */
const targetsOf = (
  config: ModelConfig,
  { r, target_modules: given }: PeftConfig,
  tensors: WeightFolder,
): string[] => {
  const layers = [...tensors.keys()]
    .filter((name) => name.endsWith('.lora_A.weight'))
    .map((name) => name.slice(wrapped.length, -'.lora_A.weight'.length));
  const asGiven = Array.isArray(given) ? given : [];
  const sameLayers = (targets: readonly string[]): boolean => {
    const slots = adapterSlots(config, { rank: r, targets }).filter(({ name }) =>
      name.endsWith('.lora_A.weight'),
    );
    return slots.length === layers.length && slots.every(({ name }) => tensors.has(wrapped + name));
  };
  try {
    if (asGiven.length > 0 && sameLayers(asGiven)) return asGiven;
  } catch (error) {
    // PEFT ignores a target that matches no layer if another one does
    if (!(error instanceof WhetstoneError)) throw error;
  }
  return layers;
};

/**
 * Reads the adapter of a folder for a model. Throws `invalid-input` if its tensors do not fit the model,
 * `unsupported` for settings that are not supported.
 */
export const readAdapter = async (folder: string, config: ModelConfig, base: BaseRef): Promise<Adapter> => {
  const peft = await readConfig(folder);
  const where = join(folder, adapterFiles.weights);
  const tensors = await tensorsOf(where);
  const settings: LoraSettings = {
    rank: peft.r,
    alpha: peft.lora_alpha,
    rsLora: peft.use_rslora,
    targets: targetsOf(config, peft, tensors),
    base: (await formatOfAdapter(folder)).format,
  };
  const parameters = new ParameterSet(adapterSlots(config, settings));
  const found = parameters.slots.map(({ name, shape }) => {
    const tensor = tensors.get(wrapped + name);
    if (!tensor)
      throw new WhetstoneError('invalid-input', `The adapter lacks the tensor ${wrapped}${name}.`, {
        where,
        hint: 'Choose an adapter that belongs to this model.',
      });
    floatTypeOf(tensor.entry, tensor.name, tensor.path);
    if (tensor.entry.shape.join() !== shape.join())
      throw new WhetstoneError(
        'invalid-input',
        `The tensor has shape [${tensor.entry.shape.join(', ')}]; the model asks for [${shape.join(', ')}].`,
        { where: `${where}, tensor ${tensor.name}`, hint: 'Choose an adapter that belongs to this model.' },
      );
    return { tensor, into: parameters.view(name) };
  });
  const extra = [...tensors.keys()].find((name) => !parameters.has(name.slice(wrapped.length)));
  if (extra !== undefined)
    throw new WhetstoneError(
      'unsupported',
      `The adapter holds the tensor ${extra}, which does not belong to this model.`,
      { where },
    );
  await readTensors(found);
  return { settings, parameters, base };
};
