/** The families of models. A new one is its file and one line here. */
import type { ModelConfig } from '../config.ts';
import { softParameters } from '../soft-prompt.ts';
import type { Transformer } from './family.ts';
import { gpt2 } from './gpt2.ts';
import { llama } from './llama.ts';
import { network } from './network.ts';

type Family = ModelConfig['family'];
const families: { readonly [F in Family]: (config: Extract<ModelConfig, { family: F }>) => Transformer } = {
  gpt2,
  llama,
  network,
};

/** The transformer of a configuration; the map of a soft prompt is its last parameter. */
export const transformerOf = (config: ModelConfig): Transformer => {
  const own = families[config.family](config as never);
  const soft = softParameters(config);
  return soft.length === 0 ? own : { ...own, parameters: () => [...own.parameters(), ...soft] };
};
