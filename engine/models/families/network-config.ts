/** `config.json` of a network on observations; no other tool reads it. */
import * as z from 'zod';
import { networkConfigOf, type NetworkConfig } from '../config.ts';
import { count, parsed, type ConfigFormat } from './config-format.ts';

const NetworkJson = z.looseObject({
  observed: count,
  actions: count,
  hidden: z.array(count).min(1),
  activation: z.enum(['tanh', 'relu']),
  critic: z.boolean().default(true),
});

export const networkFormat: ConfigFormat<NetworkConfig> = {
  types: ['whetstone-network'],
  classOf: () => 'WhetstoneNetwork',
  read: (json, _head, where) => {
    const { observed, actions, critic, ...shape } = parsed(NetworkJson, json, where);
    return networkConfigOf(shape, observed, actions, critic);
  },
  write: ({ observed, vocabulary, hidden, activation, critic }) => ({
    model_type: 'whetstone-network',
    observed,
    actions: vocabulary,
    hidden,
    activation,
    // files from before networks without a critic say nothing of it
    ...(!critic && { critic }),
  }),
};
