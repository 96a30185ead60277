/** A direction in hidden states, added to them while answers are sampled. */
import { add, input, mul, reshape, type Expr } from '../../tensor/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { ModelConfig } from '../config.ts';
import { withAfterLayer, type Lookup } from '../symbols.ts';
import type { RowInProgress } from './hooks.ts';

/**
 * strength · direction is added to the hidden state after layer `layer`, counted from 0, at the places from
 * which an answer's tokens are drawn: the prompt's last one and the answer's own. The places before are read
 * as always. Later layers read the changed states, in their keys and values too.
 */
export interface Steering {
  readonly layer: number;
  /** [D] */
  readonly direction: Float32Array;
  /** Depends on the row alone, so that an answer does not depend on the other rows. */
  strength(row: RowInProgress): number;
}

/** Parameters of a graph of one token for each of B rows, whose inputs are then also `direction` and `strength`. */
export const steeredBy = (
  parameters: Lookup,
  layer: number,
  { B, D }: { readonly B: number; readonly D: number },
): Lookup => {
  const direction = input('direction', { dtype: 'float32', shape: [D] });
  const strength = input('strength', { dtype: 'float32', shape: [B] });
  const added: Expr = mul(reshape(strength, [B, 1]), reshape(direction, [1, D]));
  return withAfterLayer(parameters, (hidden, at) => (at === layer ? add(hidden, added) : hidden));
};

/** Feeds of `direction` and `strength`; rows that are not in flight get 0. */
export const steeringFeeds = (
  { direction, strength }: Steering,
  rows: readonly (RowInProgress | undefined)[],
): Record<string, Float32Array> => ({
  direction,
  strength: Float32Array.from(rows, (row) => (row ? strength(row) : 0)),
});

/** Throws `invalid-input` for a layer that the model does not have, or a direction of another width. */
export const checkSteering = (
  { layer, direction }: Pick<Steering, 'layer' | 'direction'>,
  { layers, width }: Pick<ModelConfig, 'layers' | 'width'>,
): void => {
  if (!Number.isInteger(layer) || layer < 0 || layer >= layers)
    throw new WhetstoneError('invalid-input', `The model has ${layers} layers; there is no layer ${layer}.`, {
      where: 'sampling.steering.layer',
      hint: `Choose a layer from 0 to ${layers - 1}.`,
    });
  if (direction.length !== width)
    throw new WhetstoneError(
      'invalid-input',
      `The direction has ${direction.length} numbers; the model’s hidden states have ${width}.`,
      { where: 'sampling.steering', hint: 'Steer the model whose answers the direction is made of.' },
    );
};
