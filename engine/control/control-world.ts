/** The interface of control worlds: observations as numbers, many copies advanced at once. */

import { WhetstoneError } from '../common/errors.ts';

/** One of `count` actions by number, or `low.length` numbers within bounds. */
export type ActionSpace =
  | { readonly kind: 'choices'; readonly names: readonly string[] }
  | { readonly kind: 'numbers'; readonly low: readonly number[]; readonly high: readonly number[] };

/** States on a map: open cells among walls, each with one state or several. */
export interface Cells {
  readonly columns: number;
  readonly rows: number;
  /** Cells that are no wall, row · columns + column, ascending. */
  readonly open: readonly number[];
  /** The place among the open cells of a state, by its number. */
  placeOf(index: number): number;
}

/**
 * One world. The state of each copy is `stateSize` numbers of `state` from `at` on, in float64; functions read
 * and write them in place, so that a step of many copies allocates nothing.
 */
export interface ControlWorld {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  /** Source of dynamics, start states and limits. */
  readonly cites: string;
  /** Names of the numbers of an observation, with units where they have one. */
  readonly observations: readonly string[];
  readonly actions: ActionSpace;
  readonly stateSize: number;
  /** Steps after which an episode is cut off. */
  readonly limit: number;
  /** Draws a start state; `draw` gives uniforms in (0, 1). */
  start(state: Float64Array, at: number, draw: () => number): void;
  observe(state: Float64Array, at: number, out: Float32Array, to: number): void;
  /**
   * Advances by one action: its number, or the numbers of `actions` from `from` on, within bounds. Returns the
   * reward.
   */
  advance(state: Float64Array, at: number, actions: ArrayLike<number>, from: number): number;
  /** True in a terminal state, beyond which there is no reward. */
  isTerminal(state: Float64Array, at: number): boolean;
  /** Of a world with a countable number of states: their number, and which one a state is. */
  readonly table?: {
    readonly size: number;
    indexOf(state: Float64Array, at: number): number;
    /** Where states lie, if they lie on a map. */
    readonly cells?: Cells;
  };
}

/** Numbers of an action. */
export const actionSize = (space: ActionSpace): number => (space.kind === 'choices' ? 1 : space.low.length);

/**
 * Names of a network's outputs: a logit or a value for each choice, or a mean and a log deviation for each
 * number of an action.
 */
export const outputNames = (space: ActionSpace): readonly string[] =>
  space.kind === 'choices'
    ? space.names
    : ['mean', 'log deviation'].flatMap((what) => space.low.map((_, at) => `${what} ${at + 1}`));

/** Numbers from −1 to 1 as those of an action between its bounds. Throws `invalid-input` for choices. */
export const withinBounds = (space: ActionSpace, unit: ArrayLike<number>): number[] => {
  if (space.kind === 'choices')
    throw new WhetstoneError('invalid-input', 'The actions of this world are choices.', { where: 'task.id' });
  return space.low.map((low, at) => low + ((unit[at] + 1) / 2) * (space.high[at] - low));
};

/** value modulo 2π, in [−π, π). */
export const wrapAngle = (angle: number): number => {
  const turned = (angle + Math.PI) % (2 * Math.PI);
  return (turned < 0 ? turned + 2 * Math.PI : turned) - Math.PI;
};

export const clamp = (value: number, low: number, high: number): number =>
  value < low ? low : value > high ? high : value;
