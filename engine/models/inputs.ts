/** How a model's parameters enter graphs: input names, and the arrays fed for them. */
import { bitsOf, input } from '../tensor/index.ts';
import { adapted, type LoraSettings } from './adapters/lora.ts';
import type { ModelArray, ModelFeeds } from './device.ts';
import type { Model } from './model.ts';
import type { ParameterSet } from './parameters.ts';
import { blockOf, type QuantizedSet } from './quantized.ts';
import { inputParameters, parameterFeeds, type Lookup, type QuantizedMatrix } from './symbols.ts';

export interface ModelInputs {
  /** Distinguishes graphs that compute one configuration from different inputs. */
  readonly form: string;
  lookup(): Lookup;
  /** By input name; a graph need not read every one. */
  readonly feeds: ModelFeeds;
  /** The arrays behind the feeds: a device with its own memory keeps these there. */
  readonly arrays: readonly ModelArray[];
  /** The ones that are not written any more. */
  readonly frozen?: readonly ModelArray[];
}

/** The inputs of a frozen base model; the adapter's are added later. */
export interface FrozenBase {
  readonly inputs: ModelInputs;
  readonly settings: LoraSettings;
}

/** Inputs named `prefix + name`, views of one flat array. */
const plainInputs = (parameters: ParameterSet, prefix = ''): ModelInputs => ({
  form: '',
  lookup: () => inputParameters(parameters.slots, prefix),
  feeds: parameterFeeds(parameters, prefix),
  arrays: [parameters.flat],
});

/**
 * Inputs of an adapter's base model: views of its one array, shared by all callers; and of its quantized
 * matrices.
 */
export const baseInputs = ({ parameters, quantized }: Model): ModelInputs => {
  const plain = plainInputs(parameters, 'frozen/');
  return quantized ? withMatrices(plain, quantized) : plain;
};

/** The same with quantized matrices, each as codes and scales. */
const withMatrices = (plain: ModelInputs, quantized: QuantizedSet): ModelInputs => {
  const { format, slots } = quantized;
  const block = blockOf[format];
  const names = (name: string) => ({ codes: `frozen/${name}/codes`, scales: `frozen/${name}/scales` });
  const matrices = (): Map<string, QuantizedMatrix> =>
    new Map(
      slots.map(({ name, shape: [rows, columns], size }) => {
        const blocks = size / block;
        const { codes, scales } = names(name);
        return [
          name.replace(/\.weight$/, ''),
          {
            codes: input(codes, { dtype: 'uint8', shape: [blocks, (block * bitsOf[format]) / 8] }),
            scales: input(scales, { dtype: 'float32', shape: [blocks] }),
            format,
            shape: [rows, columns],
          },
        ];
      }),
    );
  return {
    form: format,
    lookup: () => {
      const found = matrices();
      return Object.assign(plain.lookup(), { quantized: (layer: string) => found.get(layer) });
    },
    feeds: {
      ...plain.feeds,
      ...Object.fromEntries(
        slots.flatMap(({ name }) => [
          [names(name).codes, quantized.view(name).codes],
          [names(name).scales, quantized.view(name).scales],
        ]),
      ),
    },
    arrays: [...plain.arrays, quantized.codes, quantized.scales],
  };
};

/** The frozen base of a model with an adapter; undefined if the whole model is trained. */
export const frozenBase = (model: Model): FrozenBase | undefined =>
  model.adapter && { inputs: baseInputs(model), settings: model.adapter.settings };

/** A key of the settings by which adapter graphs differ. */
export const formOf = ({ inputs, settings: { rank, alpha, targets, rsLora } }: FrozenBase): string =>
  `${inputs.form} adapter ${JSON.stringify([rank, alpha, targets, rsLora])}`;

/** All inputs of a model, adapter included. */
export const inputsOf = (model: Model): ModelInputs => {
  if (!model.adapter) return model.quantized ? baseInputs(model) : plainInputs(model.parameters);
  const base = baseInputs(model);
  const { settings, parameters } = model.adapter;
  const own = plainInputs(parameters, 'adapter/');
  return {
    form: formOf({ inputs: base, settings }),
    lookup: () => adapted(base.lookup(), own.lookup(), settings),
    feeds: { ...base.feeds, ...own.feeds },
    arrays: [...base.arrays, ...own.arrays],
    frozen: base.arrays,
  };
};
