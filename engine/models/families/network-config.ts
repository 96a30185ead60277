/** `config.json` of a network on observations; no other tool reads it. */
import * as z from 'zod';
import { networkOutputs } from '../../schema/model.ts';
import { networkConfigOf, type NetworkConfig } from '../config.ts';
import { count, parsed, type ConfigFormat } from './config-format.ts';

const NetworkJson = z.looseObject({
  observed: count,
  actions: count,
  hidden: z.array(count).min(1),
  activation: z.enum(['tanh', 'relu']),
  outputs: z.enum(networkOutputs).default('choices'),
});

export const networkFormat: ConfigFormat<NetworkConfig> = {
  types: ['whetstone-network'],
  classOf: () => 'WhetstoneNetwork',
  read: (json, _head, where) => {
    const { observed, actions, outputs, ...shape } = parsed(NetworkJson, json, where);
    return networkConfigOf(shape, observed, actions, outputs);
  },
  write: ({ observed, vocabulary, hidden, activation, outputs }) => ({
    model_type: 'whetstone-network',
    observed,
    actions: vocabulary,
    hidden,
    activation,
    // files from before there were other outputs say nothing of them
    ...(outputs !== 'choices' && { outputs }),
  }),
};
