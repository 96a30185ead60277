/** `config.json` of a network on observations; no other tool reads it. */
import * as z from 'zod';
import { networkConfigOf, type NetworkConfig } from '../config.ts';
import { count, parsed, type ConfigFormat } from './config-format.ts';

const NetworkJson = z.looseObject({
  observed: count,
  actions: count,
  hidden: z.array(count).min(1),
  activation: z.enum(['tanh', 'relu']),
});

export const networkFormat: ConfigFormat<NetworkConfig> = {
  types: ['whetstone-network'],
  classOf: () => 'WhetstoneNetwork',
  read: (json, _head, where) => {
    const { observed, actions, ...shape } = parsed(NetworkJson, json, where);
    return networkConfigOf(shape, observed, actions);
  },
  write: ({ observed, vocabulary, hidden, activation }) => ({
    model_type: 'whetstone-network',
    observed,
    actions: vocabulary,
    hidden,
    activation,
  }),
};
