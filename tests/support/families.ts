import { readFileSync } from 'node:fs';
import { fromHuggingFace } from '../../engine/models/hugging-face.ts';
import type { ModelConfig } from '../../engine/models/config.ts';
import { transformerOf } from '../../engine/models/families/index.ts';
import type { Model } from '../../engine/models/model.ts';
import { layoutOf, ParameterSet } from '../../engine/models/parameters.ts';
import { uniforms } from './tensors.ts';

interface Oracle {
  readonly tokens: readonly (readonly number[])[];
  readonly cases: readonly {
    readonly name: string;
    readonly config: object;
    readonly before: object;
    readonly tensors: readonly string[];
  }[];
  readonly rewards: readonly {
    readonly name: string;
    readonly config: object;
    readonly tensors: readonly string[];
    readonly scores: readonly number[];
  }[];
  readonly rows: readonly (readonly number[])[];
}

/** Results of Transformers for small models of every architecture; see families.py. */
export const familyOracle = JSON.parse(
  readFileSync(new URL('oracles/families.json', import.meta.url), 'utf8'),
) as Oracle;

/**
 * The values that families.py gives to the tensor of this name, number `order` among the model's sorted
 * names.
 */
const formulaWeight = (order: number, name: string, size: number, gemma: boolean): Float32Array => {
  const isGain = (name.includes('norm') || name.includes('.ln_')) && name.endsWith('weight');
  const [centre, spread] = isGain ? [gemma ? 0 : 1, 0.3] : [0, name.endsWith('weight') ? 0.2 : 0.1];
  return Float32Array.from(uniforms(1000 + order, size), (u) => centre + spread * (u * 2 - 1));
};

/** A model of a configuration with the weights of families.py. */
export const formulaModel = (config: ModelConfig): Model => {
  const parameters = new ParameterSet(layoutOf(transformerOf(config).parameters()));
  const gemma = config.family === 'llama' && config.gemma;
  parameters.slots
    .map(({ name }) => name)
    .sort()
    .forEach((name, order) =>
      parameters.view(name).set(formulaWeight(order, name, parameters.slot(name).size, gemma)),
    );
  return { config, parameters };
};

export const formulaModelOf = (json: object): Model => formulaModel(fromHuggingFace(json, 'config.json'));
