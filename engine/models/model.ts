import { WhetstoneError } from '../schema/errors.ts';
import type { ModelConfig } from './config.ts';
import { transformerOf } from './families/index.ts';
import { layoutOf, ParameterSet } from './parameters.ts';
import type { StoredTensor } from './weights/safetensors.ts';

/** A model: what it computes and with which numbers. */
export interface Model {
  readonly config: ModelConfig;
  readonly parameters: ParameterSet;
}

/** A new model with random parameters; the same for the same seed. */
export const createModel = (config: ModelConfig, seed: number): Model => ({ config, parameters: ParameterSet.initialize(transformerOf(config).parameters(), seed) });

/**
 * A model for `head` that starts from the transformer of another one: parameters of the same name are copied, a new head is initialized
 * by `seed`. Used to make a reward model from a policy.
 */
export const withHead = ({ config, parameters }: Model, head: ModelConfig['head'], seed: number): Model => {
  const model = createModel({ ...config, head }, seed);
  for (const { name } of model.parameters.slots) if (parameters.has(name)) model.parameters.view(name).set(parameters.view(name));
  return model;
};

/** The tensors of a model as a weight file holds them. */
export const storedTensors = ({ parameters }: Model): Record<string, StoredTensor> =>
  Object.fromEntries(parameters.slots.map(({ name, shape }) => [name, { shape, data: parameters.view(name) }]));

/**
 * A model from a weight file's tensors. Names may lack the family's prefix (as in the first GPT-2 files); buffers of old files
 * and a stored copy of the tied embedding are passed over. Throws where a tensor is missing, has
 * another shape, or is not part of the model.
 */
export const modelFromTensors = (config: ModelConfig, tensors: ReadonlyMap<string, StoredTensor>, where: string): Model => {
  const { files: { prefix, passedOver }, parameters: declared } = transformerOf(config);
  const parameters = new ParameterSet(layoutOf(declared()));
  const used = new Set<string>();
  for (const { name, shape } of parameters.slots) {
    const key = tensors.has(name) ? name : name.slice(name.startsWith(prefix) ? prefix.length : 0);
    const tensor = tensors.get(key);
    if (!tensor) throw new WhetstoneError('invalid-input', `The weight file lacks the tensor ${name}.`, { where, hint: 'Choose a folder whose config.json belongs to its weights.' });
    if (tensor.shape.length !== shape.length || tensor.shape.some((length, axis) => length !== shape[axis]))
      throw new WhetstoneError('invalid-input', `The tensor has shape [${tensor.shape.join(', ')}]; the configuration asks for [${shape.join(', ')}].`, { where: `${where}, tensor ${key}` });
    parameters.view(name).set(tensor.data);
    used.add(key);
  }
  const extra = [...tensors.keys()].find((key) => !used.has(key) && !passedOver.test(key));
  if (extra !== undefined) throw new WhetstoneError('unsupported', `The weight file holds the tensor ${extra}, which this architecture does not have.`, { where });
  return { config, parameters };
};
