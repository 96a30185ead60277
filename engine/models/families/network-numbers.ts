/**
 * Actions that are numbers: a Gaussian squashed by tanh, and two critics of state and action (Haarnoja et al.
 * 2018, arXiv:1812.05905, appendix C). Each number of an action is between −1 and 1, whatever the world's own
 * bounds.
 */
import {
  add,
  concat,
  exp,
  mul,
  scalar,
  slice,
  softplus,
  square,
  sub,
  sum,
  tanh,
  type Expr,
} from '../../tensor/index.ts';
import { dense } from '../blocks/dense.ts';
import type { NetworkConfig } from '../config.ts';
import type { Lookup } from '../symbols.ts';
import { actionNumbers, networkStates, stackValues } from './network.ts';

/** Log deviations are between these bounds, as in CleanRL's `sac_continuous_action.py`. */
const [LOWEST, HIGHEST] = [-5, 2];
const LOG_ROOT_TAU = 0.5 * Math.log(2 * Math.PI);

/** Mean and log deviation of each number before it is squashed: states [N, F] → [N, A] each. */
export const gaussianOf = (
  config: NetworkConfig,
  parameters: Lookup,
  state_NF: Expr,
): { readonly mean: Expr; readonly logDeviation: Expr } => {
  const A = actionNumbers(config);
  const both = dense(
    parameters,
    `actor.${config.layers}`,
    networkStates(config, parameters, state_NF),
    'in-out',
  );
  const share = mul(add(tanh(slice(both, 1, A, 2 * A)), scalar(1)), scalar((HIGHEST - LOWEST) / 2));
  return { mean: slice(both, 1, 0, A), logDeviation: add(share, scalar(LOWEST)) };
};

/** An action and its log-probability density. */
export interface DrawnAction {
  readonly action: Expr;
  readonly logp: Expr;
}

/**
 * The action that standard normal noise [N, A] makes in states [N, F], with gradient: tanh(x), x = mean + σ ·
 * noise, [N, A], and Σ log N(x) − log(1 − tanh² x) over its numbers, [N]; log(1 − tanh² x) = 2 (log 2 − x −
 * softplus(−2x)).
 */
export const drawnAction = (
  config: NetworkConfig,
  parameters: Lookup,
  state_NF: Expr,
  noise_NA: Expr,
): DrawnAction => {
  const { mean, logDeviation } = gaussianOf(config, parameters, state_NF);
  const x = add(mean, mul(exp(logDeviation), noise_NA));
  const normal = sub(mul(square(noise_NA), scalar(-0.5)), add(logDeviation, scalar(LOG_ROOT_TAU)));
  const squashing = mul(sub(sub(scalar(Math.LN2), x), softplus(mul(x, scalar(-2)))), scalar(2));
  return { action: tanh(x), logp: sum(sub(normal, squashing), [1]) };
};

/** Values of actions [N, A] in states [N, F] by both critics → [N] each. */
export const actionValues = (
  config: NetworkConfig,
  parameters: Lookup,
  state_NF: Expr,
  action_NA: Expr,
): readonly [Expr, Expr] => {
  const both = concat([state_NF, action_NA], 1);
  return [stackValues(config, parameters, both, 'first'), stackValues(config, parameters, both, 'second')];
};
