/** Rows of one step inside a graph, for a network whose actions are numbers. */
import {
  add,
  clip,
  exp,
  minimum,
  mul,
  reshape,
  scalar,
  slice,
  stopGradient,
  type Expr,
} from '../../tensor/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { NetworkConfig } from '../../models/config.ts';
import { actionValues, drawnAction } from '../../models/families/network-numbers.ts';
import { actionNumbers, LOG_TEMPERATURE, networkValues, rowWidth } from '../../models/families/network.ts';
import type { Lookup } from '../../models/symbols.ts';
import type { StepView } from '../kernel/objective.ts';

/** The same parameters, to which no gradient flows. */
const fixed = (parameters: Lookup): Lookup =>
  Object.assign((name: string) => stopGradient(parameters(name)), {
    has: (name: string) => parameters.has(name),
  });

/**
 * Rows [R, 2, W] of a 0 and one action, whose numbers are laid out as `rowWidth` says. Throws `internal` for
 * rows of another length, and `unsupported` for a network with other outputs.
 */
export const stepView = (
  config: NetworkConfig,
  parameters: Lookup,
  rows_R2W: Expr,
  other: (name: string) => Lookup,
): StepView => {
  const A = actionNumbers(config);
  if (A === 0)
    throw new WhetstoneError('unsupported', 'The actions of this network are no numbers.', {
      where: 'models.policy',
      hint: 'Choose a network that was trained where actions are numbers.',
    });
  const [R, T] = rows_R2W.type.shape;
  if (T !== 2) throw new WhetstoneError('internal', `A row of ${T - 1} steps is not one step.`);
  const F = config.observed;
  const part = (token: number, from: number, to: number): Expr =>
    reshape(slice(slice(rows_R2W, 1, token, token + 1), 2, from, to), [R, to - from]);
  const [before, after] = [part(0, 0, F), part(1, 0, F)];
  const noise = (token: number): Expr => part(token, F + A, rowWidth(config));
  const action = part(1, F, F + A);
  return {
    action,
    drawn: () => drawnAction(config, parameters, before, noise(0)),
    drawnAfter: () => drawnAction(config, parameters, after, noise(1)),
    values: (action) => actionValues(config, parameters, before, action),
    least: (action) => minimum(...actionValues(config, fixed(parameters), before, action)),
    leastAfter: (model, action) => minimum(...actionValues(config, fixed(other(model)), after, action)),
    near: ({ deviation, most }) =>
      clip(add(action, clip(mul(noise(0), scalar(deviation)), -most, most)), -1, 1),
    value: () => networkValues(config, parameters, before),
    temperature: () => exp(parameters(LOG_TEMPERATURE)),
  };
};
