/**
 * Dense layers on observations. Two stacks of the same widths: `actor` ends in the logits of actions, `critic` in
 * the value of the state. A network whose logits are values of actions has no critic. Initialized as in "The 37
 * Implementation Details of PPO" (Huang et al., 2022): orthogonal with gain √2, the last layer 0.01 for logits and 1
 * for values; biases 0.
 */
import { relu, reshape, tanh, type Expr } from '../../tensor/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import { dense } from '../blocks/dense.ts';
import type { NetworkConfig } from '../config.ts';
import type { ParameterSpec } from '../parameters.ts';
import type { Lookup } from '../symbols.ts';
import type { Transformer } from './family.ts';

type Stack = 'actor' | 'critic';

const stackOf = ({ observed, hidden, vocabulary, critic }: NetworkConfig, stack: Stack): ParameterSpec[] => {
  const widths = [observed, ...hidden, stack === 'actor' ? vocabulary : 1];
  return widths.slice(1).flatMap((to, layer): ParameterSpec[] => {
    const isLast = layer === hidden.length;
    const gain = !isLast ? Math.SQRT2 : stack === 'actor' && critic ? 0.01 : 1;
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

/** The last hidden layer, from which logits are read: observations [N, F] → [N, D]. */
export const networkStates = (config: NetworkConfig, parameters: Lookup, observed_NF: Expr): Expr =>
  hiddenOf(config, parameters, observed_NF, 'actor');

/** Values of the states that observations [N, F] show → [N]. Throws `unsupported` without a critic. */
export const networkValues = (config: NetworkConfig, parameters: Lookup, observed_NF: Expr): Expr => {
  if (!config.critic)
    throw new WhetstoneError('unsupported', 'A network without a critic has no value of a state.', {
      where: 'models.policy',
      hint: 'Choose a network with a critic.',
    });
  return reshape(
    dense(
      parameters,
      `critic.${config.layers}`,
      hiddenOf(config, parameters, observed_NF, 'critic'),
      'in-out',
    ),
    [observed_NF.type.shape[0]],
  );
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
  parameters: () => [...stackOf(config, 'actor'), ...(config.critic ? stackOf(config, 'critic') : [])],
  attention: readsNoText,
  embed: readsNoText,
  blocks: readsNoText,
  logits: (parameters, hidden) => dense(parameters, `actor.${config.layers}`, hidden, 'in-out'),
  outputTable: () => null,
});
