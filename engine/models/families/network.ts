/**
 * Dense layers on observations, in stacks of the same widths: `actor` ends in the outputs about actions,
 * `critic` in the value of the state, and where actions are numbers `first` and `second` in the value of
 * state and action. Initialized as in "The 37 Implementation Details of PPO" (Huang et al., 2022): orthogonal
 * with gain √2, the last layer 0.01 for logits of choices and 1 for values; biases 0.
 */
import { relu, reshape, tanh, type Expr } from '../../tensor/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import { dense } from '../blocks/dense.ts';
import type { NetworkOutputs } from '../../schema/model.ts';
import type { NetworkConfig } from '../config.ts';
import type { ParameterSpec } from '../parameters.ts';
import type { Lookup } from '../symbols.ts';
import type { Transformer } from './family.ts';

const stacksOf = {
  choices: ['actor', 'critic'],
  values: ['actor'],
  numbers: ['actor', 'first', 'second'],
} as const satisfies Record<NetworkOutputs, readonly string[]>;
type Stack = (typeof stacksOf)[NetworkOutputs][number];

/** Log of the weight of entropy, which a network with numbers as actions learns. */
export const LOG_TEMPERATURE = 'temperature.log';

/** Numbers of an action: a mean and a log deviation are output for each. */
export const actionNumbers = ({ outputs, vocabulary }: NetworkConfig): number =>
  outputs === 'numbers' ? vocabulary / 2 : 0;

/**
 * Numbers behind each token of its rows: what is observed, and where actions are numbers the action that led
 * there, each of its numbers from −1 to 1, and the noise that an action is drawn with.
 */
export const rowWidth = (config: NetworkConfig): number => config.observed + 2 * actionNumbers(config);

const stackOf = (config: NetworkConfig, stack: Stack): ParameterSpec[] => {
  const { observed, hidden, vocabulary, outputs } = config;
  const reads = stack === 'actor' || stack === 'critic' ? observed : observed + actionNumbers(config);
  const widths = [reads, ...hidden, stack === 'actor' ? vocabulary : 1];
  return widths.slice(1).flatMap((to, layer): ParameterSpec[] => {
    const isLast = layer === hidden.length;
    const gain = !isLast ? Math.SQRT2 : stack === 'actor' && outputs !== 'values' ? 0.01 : 1;
    return [
      { name: `${stack}.${layer}.weight`, shape: [widths[layer], to], init: { kind: 'orthogonal', gain } },
      { name: `${stack}.${layer}.bias`, shape: [to], init: { kind: 'fill', value: 0 } },
    ];
  });
};

/** The hidden layers of a stack: observations [N, F] → [N, D]. */
const hiddenOf = (
  { hidden, activation }: NetworkConfig,
  parameters: Lookup,
  observed_NF: Expr,
  stack: Stack,
): Expr => {
  const act = activation === 'tanh' ? tanh : relu;
  return hidden.reduce(
    (x, _, layer) => act(dense(parameters, `${stack}.${layer}`, x, 'in-out')),
    observed_NF,
  );
};

/** The last hidden layer, from which the outputs about actions are read: observations [N, F] → [N, D]. */
export const networkStates = (config: NetworkConfig, parameters: Lookup, observed_NF: Expr): Expr =>
  hiddenOf(config, parameters, observed_NF, 'actor');

/** The whole of a stack that ends in one number: [N, F] → [N]. */
export const stackValues = (
  config: NetworkConfig,
  parameters: Lookup,
  reads_NF: Expr,
  stack: Exclude<Stack, 'actor'>,
): Expr =>
  reshape(
    dense(parameters, `${stack}.${config.layers}`, hiddenOf(config, parameters, reads_NF, stack), 'in-out'),
    [reads_NF.type.shape[0]],
  );

/** Values of the states that observations [N, F] show → [N]. Throws `unsupported` without a critic. */
export const networkValues = (config: NetworkConfig, parameters: Lookup, observed_NF: Expr): Expr => {
  if (config.outputs !== 'choices')
    throw new WhetstoneError('unsupported', 'A network without a critic has no value of a state.', {
      where: 'models.policy',
      hint: 'Choose a network with a critic.',
    });
  return stackValues(config, parameters, observed_NF, 'critic');
};

const readsNoText = (): never => {
  throw new WhetstoneError('unsupported', 'A network on observations reads and writes no text.', {
    where: 'model',
    hint: 'Choose a language model.',
  });
};

export const network = (config: NetworkConfig): Transformer => ({
  heads: 1,
  kvHeads: 1,
  size: config.width,
  files: { prefix: '', ignored: /^$/, copy: null },
  layout: 'in-out',
  parameters: () => [
    ...stacksOf[config.outputs].flatMap((stack) => stackOf(config, stack)),
    ...(config.outputs === 'numbers'
      ? [{ name: LOG_TEMPERATURE, shape: [1], init: { kind: 'fill', value: 0 } } as const]
      : []),
  ],
  attention: readsNoText,
  embed: readsNoText,
  blocks: readsNoText,
  logits: (parameters, hidden) => dense(parameters, `actor.${config.layers}`, hidden, 'in-out'),
  outputTable: () => null,
});
