/** Robustness inheritance: the change of accuracy on other tasks after a model was adapted to one. */
import { WhetstoneError } from '../common/errors.ts';
import { finite, ordered } from './inputs.ts';
import { mean } from './moments.ts';

export interface Inheritance {
  /** `changes[j][i]`: accuracy on task i after learning task j, less that of the start (n × n). */
  readonly changes: readonly (readonly number[])[];
  /** Change of accuracy on the task of each adaptation. */
  readonly gains: readonly number[];
  /** Robustness improvement RI_j: the mean change on the other tasks; below 0 it is a loss. */
  readonly retention: readonly number[];
  /** mRI: their mean. */
  readonly mean: number;
}

/**
 * Robustness inheritance of n related tasks (ImageNet-RIB, arXiv:2410.21582): the start with accuracy
 * `start[i]` on task i is adapted to each task j on its own, and then has `after[j][i]`. Throws
 * `invalid-input` for fewer than two tasks, or a table that is not n × n.
 */
export const inheritance = (start: readonly number[], after: readonly (readonly number[])[]): Inheritance => {
  const tasks = start.length;
  if (tasks < 2 || after.length !== tasks || after.some((row) => row.length !== tasks))
    throw new WhetstoneError(
      'invalid-input',
      `Inheritance needs the accuracy on each of at least two tasks after each of them: ${tasks} × ${tasks}.`,
      { where: 'accuracies' },
    );
  for (const row of [start, ...after]) finite(row, 'accuracies');
  const changes = after.map((row) => row.map((value, i) => value - start[i]));
  const retention = changes.map((row, j) => retained(row, j));
  return { changes, gains: changes.map((row, j) => row[j]), retention, mean: mean(retention) };
};

/** RI_j: the mean change on all tasks but the one that was learned. */
export const retained = (changes: readonly number[], own: number): number =>
  mean(changes.filter((_change, i) => i !== own));

/**
 * Items that no other one exceeds in both numbers: the Pareto front, in the order of the items. Throws
 * `numeric` for NaN.
 */
export const paretoFront = (items: readonly (readonly [number, number])[]): boolean[] => {
  ordered(items.flat(), 'numbers of items');
  return items.map(([a, b]) => !items.some(([x, y]) => x >= a && y >= b && (x > a || y > b)));
};

/**
 * A second number where the first one reaches `level` on its way, interpolated between the two neighbouring
 * points; null if it never does. Points in the order of steps. Throws `numeric` for NaN and infinities.
 */
export const atLevel = (
  points: readonly { readonly value: number; readonly other: number }[],
  level: number,
): number | null => {
  finite([level, ...points.flatMap(({ value, other }) => [value, other])], 'points');
  const at = points.findIndex(({ value }) => value >= level);
  if (at < 0) return null;
  const [now, before] = [points[at], points[at - 1]];
  if (!before) return now.other;
  return before.other + ((level - before.value) / (now.value - before.value)) * (now.other - before.other);
};
