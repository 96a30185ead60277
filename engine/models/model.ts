import type { BaseFormat } from '../schema/adapter.ts';
import type { SoftPrompt } from '../schema/model.ts';
import { WhetstoneError } from '../common/errors.ts';
import { adapterSlots, headParameter, mergedParameters, type Adapter } from './adapters/lora.ts';
import type { ModelConfig } from './config.ts';
import { transformerOf } from './families/index.ts';
import type { Transformer } from './families/family.ts';
import { initialize, layoutOf, ParameterSet, type ParameterSlot } from './parameters.ts';
import { partsFor, roomForQuantized, type QuantizedSet } from './quantized.ts';
import { configFile } from './hugging-face.ts';
import type { FloatType } from './weights/dtypes.ts';
import { floatTypeOf, type StoredTensor } from './weights/safetensors.ts';
import { readTensors, sameValues, type FoundTensor, type WeightFolder } from './weights/tensor-file.ts';

/** Facts of the original files, so that untrained parts are saved in the same way. */
export interface Origin {
  /** Its `config.json`, as it was written. */
  readonly config: string;
  /** Type of each parameter in its weight file. */
  readonly dtypes: ReadonlyMap<string, FloatType>;
}

/** A model: its configuration and parameters. */
export interface Model {
  readonly config: ModelConfig;
  readonly parameters: ParameterSet;
  /** Frozen quantized matrices, which are not among `parameters`. */
  readonly quantized?: QuantizedSet;
  readonly origin?: Origin;
  /** The trained adapter; `parameters` are then frozen and shared. */
  readonly adapter?: Adapter;
}

/** The trained parameters: the adapter's if there is one. */
export const trainedOf = ({ parameters, adapter }: Model): ParameterSet => adapter?.parameters ?? parameters;

/** Number of parameters, an adapter's included. */
export const sizeOf = ({ parameters, quantized, adapter }: Model): number =>
  parameters.size + (quantized?.size ?? 0) + (adapter?.parameters.size ?? 0);

/**
 * The model as one set of parameters; the same model without an adapter. It is saved as float32: half
 * precision would round the adapter away. A quantized base is opened as float32 for this.
 */
export const merged = ({ adapter, ...model }: Model): Model => {
  if (!adapter) return model;
  if (model.quantized)
    throw new WhetstoneError(
      'internal',
      'An adapter is merged into a model in float32; this one was opened quantized.',
      { where: 'adapter.base' },
    );
  return inType({ ...model, parameters: mergedParameters(model.config, model.parameters, adapter) }, 'F32');
};

/** Spelling of the types in configurations. */
const spelledTypes: { readonly [T in FloatType]: string } = {
  F32: 'float32',
  F16: 'float16',
  BF16: 'bfloat16',
};

/**
 * The same model, to be saved in this type: every tensor, and its configuration. Trained parameters are
 * otherwise saved as float32, whatever the original type: half precision rounds small updates away.
 */
export const inType = (model: Model, dtype: FloatType): Model => {
  const config = configFile(model.config, model.origin?.config).replaceAll(
    /"((?:torch_)?dtype)"\s*:\s*"\w+"/g,
    `"$1": "${spelledTypes[dtype]}"`,
  );
  return {
    ...model,
    origin: { config, dtypes: new Map(model.parameters.slots.map(({ name }) => [name, dtype])) },
  };
};

/**
 * A new model with random parameters, deterministic in the seed; quantized matrices are drawn as float32
 * from the same seed first.
 */
export const createModel = (config: ModelConfig, seed: number, format: BaseFormat = 'float32'): Model =>
  made(
    config,
    seed,
    new ParameterSet(layoutOf(partsFor(config, format).kept)),
    roomForQuantized(config, format),
  );

/** A buffer for the largest matrix, reused while matrices are quantized one by one. */
const roomForOne = (quantized: QuantizedSet | undefined): Float32Array =>
  new Float32Array(Math.max(0, ...(quantized?.slots ?? []).map(({ size }) => size)));

/**
 * Writes initial values; a matrix is quantized as soon as it is drawn, so that only one at a time is in
 * memory in full.
 */
const made = (
  config: ModelConfig,
  seed: number,
  parameters: ParameterSet,
  quantized?: QuantizedSet,
): Model => {
  const room = roomForOne(quantized);
  transformerOf(config)
    .parameters()
    .forEach((spec, place) => {
      if (!quantized?.has(spec.name)) return initialize(parameters.view(spec.name), spec, { seed, place });
      const values = room.subarray(
        0,
        spec.shape.reduce((a, b) => a * b, 1),
      );
      initialize(values, spec, { seed, place });
      return quantized.set(spec.name, values);
    });
  return { config, parameters, ...(quantized && { quantized }) };
};

/**
 * A model for `head` that starts from the transformer of another one: parameters of the same name are
 * copied, a new head is initialized by `seed`; quantized matrices are shared. Used to make a reward model,
 * or a critic, from a policy. The base of an adapter is not copied for a head that the adapter trains.
 * `labels`: number of outputs of a reward head.
 */
export const withHead = (model: Model, head: ModelConfig['head'], seed: number, labels?: number): Model => {
  const { parameters: from, quantized, origin, adapter } = model;
  const config = withHeadOf(model.config, head, labels);
  const filled = filledFrom(model, config, seed);
  const parameters = adapter && headIsNew(model, config) ? from : filled(roomWithout(config, quantized));
  return {
    config,
    parameters,
    ...(quantized && { quantized }),
    ...(origin && { origin }),
    ...(adapter && {
      adapter: forHead(adapter, filled(new ParameterSet(adapterSlots(config, adapter.settings)))),
    }),
  };
};

/**
 * A model whose answers have a direction of their own, from a plain one: the map is initialized by `seed`,
 * unless the model has one of this size. Throws `unsupported` for an adapter, whose base has no such map.
 */
export const withDirections = (model: Model, softPrompt: SoftPrompt, seed: number): Model => {
  if (model.adapter)
    throw new WhetstoneError('unsupported', 'An adapter cannot learn to read a soft prompt.', {
      where: 'adapter',
      hint: 'Train all weights of the model.',
    });
  const config = { ...model.config, softPrompt };
  const parameters = filledFrom(model, config, seed)(roomWithout(config, model.quantized));
  return { ...model, config, parameters };
};

/**
 * The base of an adapter that has a head of this kind of its own: the model's own arrays, or a copy if it
 * lacks more than the head.
 */
export const baseFor = (model: Model, head: ModelConfig['head'], labels?: number): Model => {
  const config = withHeadOf(model.config, head, labels);
  return headIsNew(model, config) ? { ...model, config } : withHead(model, head, 0, labels);
};

/**
 * Fills those of a configuration's parameters that a set has: from a model, or by `seed` where it lacks one.
 */
const filledFrom =
  ({ parameters: from }: Pick<Model, 'parameters'>, config: ModelConfig, seed: number) =>
  (into: ParameterSet): ParameterSet => {
    transformerOf(config)
      .parameters()
      .forEach((spec, place) => {
        if (!into.has(spec.name)) return;
        if (hasSame(from, spec)) into.view(spec.name).set(from.view(spec.name));
        else initialize(into.view(spec.name), spec, { seed, place });
      });
    return into;
  };

const withHeadOf = (
  { labels: _, ...own }: ModelConfig,
  head: ModelConfig['head'],
  labels = 1,
): ModelConfig => ({ ...own, head, ...(labels > 1 && { labels }) });

/** True if a set has this parameter in this size: a head with another number of labels is a new head. */
const hasSame = (set: ParameterSet, { name, shape }: Pick<ParameterSlot, 'name' | 'shape'>): boolean =>
  set.has(name) && set.view(name).length === shape.reduce((size, axis) => size * axis, 1);

/** True if a model has all that a configuration needs, except for a head that an adapter would train. */
const headIsNew = ({ parameters, quantized }: Model, config: ModelConfig): boolean =>
  transformerOf(config)
    .parameters()
    .every((spec) => spec.name === headParameter || quantized?.has(spec.name) || hasSame(parameters, spec));

const roomWithout = (config: ModelConfig, quantized: QuantizedSet | undefined): ParameterSet =>
  new ParameterSet(
    layoutOf(
      transformerOf(config)
        .parameters()
        .filter(({ name }) => !quantized?.has(name)),
    ),
  );

/** The adapter with its own layers in another set, whose head is filled. */
const forHead = ({ parameters, ...adapter }: Adapter, set: ParameterSet): Adapter => {
  for (const { name } of set.slots) if (name !== headParameter) set.view(name).set(parameters.view(name));
  return { ...adapter, parameters: set };
};

/** The tensors of a model for a weight file, each in its original type. */
export const storedTensors = ({ parameters, origin }: Model): Record<string, StoredTensor> =>
  Object.fromEntries(
    parameters.slots.map(({ name, shape }) => [
      name,
      { shape, data: parameters.view(name), dtype: origin?.dtypes.get(name) ?? 'F32' },
    ]),
  );

/**
 * A model from a weight folder. Names may lack the family's prefix (as in the first GPT-2 files); buffers of
 * old files are ignored, and so is an identical copy of the tied embedding. Every tensor is looked up before
 * memory is allocated; quantized matrices are read and quantized one by one. Throws `invalid-input` if one
 * is missing or has another shape, `unsupported` if one is not part of the model, `out-of-memory` without
 * room.
 */
export const modelFromWeights = async (
  config: ModelConfig,
  file: Origin['config'],
  weights: WeightFolder,
  { where, format = 'float32' }: { readonly where: string; readonly format?: BaseFormat },
): Promise<Model> => {
  const transformer = transformerOf(config);
  const slots = layoutOf(transformer.parameters());
  const found = new Map(
    (await findTensors(slots, transformer.files, weights, where)).map((tensor, at) => [
      slots[at].name,
      tensor,
    ]),
  );
  const kept = layoutOf(partsFor(config, format).kept);
  const quantized = roomForQuantized(config, format);
  const parameters = new ParameterSet(
    kept,
    roomFor(
      kept.reduce((total, { size }) => total + size, 0),
      where,
    ),
  );
  await readTensors(kept.map(({ name }) => ({ tensor: found.get(name)!, into: parameters.view(name) })));
  const room = roomForOne(quantized);
  for (const { name, size } of quantized?.slots ?? []) {
    const values = room.subarray(0, size);
    await readTensors([{ tensor: found.get(name)!, into: values }]);
    quantized?.set(name, values);
  }
  const origin: Origin = {
    config: file,
    dtypes: new Map([...found].map(([name, { entry }]) => [name, entry.dtype as FloatType])),
  };
  return { config, parameters, ...(quantized && { quantized }), origin };
};

/**
 * Looks up every tensor of a configuration, and compares types and shapes, without reading any except a
 * second copy of the output matrix. Throws the errors of `modelFromWeights`.
 */
export const checkWeights = async (
  config: ModelConfig,
  weights: WeightFolder,
  where: string,
): Promise<{ parameters: number; dtypes: string[] }> => {
  const transformer = transformerOf(config);
  const slots = layoutOf(transformer.parameters());
  const found = await findTensors(slots, transformer.files, weights, where);
  return {
    parameters: slots.reduce((total, { size }) => total + size, 0),
    dtypes: [...new Set(found.map(({ entry }) => entry.dtype))].sort(),
  };
};

/** The tensor of each parameter, in their order. */
const findTensors = async (
  slots: readonly ParameterSlot[],
  { prefix, ignored, copy }: Transformer['files'],
  weights: WeightFolder,
  where: string,
): Promise<FoundTensor[]> => {
  const found = slots.map(({ name, shape }) => {
    const tensor = weights.get(name) ?? weights.get(name.slice(name.startsWith(prefix) ? prefix.length : 0));
    if (!tensor)
      throw new WhetstoneError('invalid-input', `The weight file lacks the tensor ${name}.`, {
        where,
        hint: missing(name),
      });
    floatTypeOf(tensor.entry, tensor.name, tensor.path);
    if (!sameShape(tensor.entry.shape, shape))
      throw new WhetstoneError(
        'invalid-input',
        `The tensor has shape [${tensor.entry.shape.join(', ')}]; the configuration asks for [${shape.join(', ')}].`,
        { where: `${tensor.path}, tensor ${tensor.name}` },
      );
    return tensor;
  });
  const used = new Set(found.map(({ name }) => name));
  const extra = [...weights.keys()].filter(
    (key) => !used.has(key) && !ignored.test(key) && key !== copy?.name,
  );
  if (extra.length > 0) throw unread(extra, where);
  if (copy)
    await checkCopy(weights.get(copy.name), found[slots.findIndex(({ name }) => name === copy.of)], where);
  return found;
};

const missing = (name: string): string =>
  name === 'lm_head.weight'
    ? 'The configuration says, or leaves to its default, that the output matrix is not the embedding ' +
      '(tie_word_embeddings false).'
    : 'Choose a folder whose config.json belongs to its weights.';

/**
 * The error for tensors that the model would not read: ignoring them would compute a different model from the
 * author's.
 */
const unread = (names: readonly string[], where: string): WhetstoneError =>
  new WhetstoneError(
    'unsupported',
    `The weight file holds ${names.length === 1 ? 'the tensor' : `${names.length} tensors, among them`} ` +
      `${names.slice(0, 3).join(', ')}, which this architecture does not have.`,
    {
      where,
      hint: names.some((name) => name.endsWith('.bias'))
        ? 'Where these are biases of the model, set attention_bias or mlp_bias in config.json.'
        : 'Choose a folder whose config.json belongs to its weights.',
    },
  );

/**
 * Checks an output matrix in the file of a model whose configuration ties it to the embedding. If they
 * differ, Transformers 5 computes with it and version 4 ignored it: such a folder is ambiguous and is
 * refused.
 */
const checkCopy = async (copy: FoundTensor | undefined, of: FoundTensor, where: string): Promise<void> => {
  if (!copy || (sameShape(copy.entry.shape, of.entry.shape) && (await sameValues(copy, of)))) return;
  throw new WhetstoneError(
    'unsupported',
    `The weight file holds ${copy.name}, which is not the embedding, and config.json says that it is ` +
      '(tie_word_embeddings).',
    {
      where,
      hint: 'Set tie_word_embeddings to false in config.json to compute with it, or remove it from the file.',
    },
  );
};

const sameShape = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((length, axis) => length === b[axis]);

const roomFor = (values: number, where: string): Float32Array => {
  try {
    return new Float32Array(values);
  } catch (cause) {
    throw new WhetstoneError(
      'out-of-memory',
      `There is no room for ${values} parameters (${Math.ceil(values / 2 ** 28)} GiB).`,
      { where, hint: 'Choose a smaller model, or close other programs.', cause },
    );
  }
};
