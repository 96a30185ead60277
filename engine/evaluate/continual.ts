/** What a model forgets of earlier tasks while it learns one after the other. */
import { WhetstoneError } from '../common/errors.ts';
import { finite, notEmpty } from './inputs.ts';
import { mean } from './moments.ts';

export interface Continual {
  /** Mean accuracy over all tasks at the end. */
  readonly final: number;
  /** For each task but the last one: its best accuracy before the end, less that at the end. */
  readonly forgotten: readonly number[];
  /** Their mean: the forgetting measure. */
  readonly forgetting: number;
  /** Mean over the same tasks of the accuracy at the end less that when the task had just been learned. */
  readonly backwardTransfer: number;
}

/**
 * Forgetting and backward transfer of a stream of T tasks. `accuracies[t][i]` is the accuracy on task i once task
 * t has been learned (T × T). Forgetting: Chaudhry et al. 2018, arXiv:1801.10112, section 3.1; backward transfer:
 * Lopez-Paz and Ranzato 2017, arXiv:1706.08840, equation 3. Throws `invalid-input` for fewer than two tasks, or a
 * table that is not square.
 */
export const continual = (accuracies: readonly (readonly number[])[]): Continual => {
  notEmpty(accuracies, 'accuracies');
  const tasks = accuracies.length;
  if (tasks < 2 || accuracies.some((row) => row.length !== tasks))
    throw new WhetstoneError(
      'invalid-input',
      `Forgetting needs the accuracy on each of at least two tasks after each of them: ${tasks} × ${tasks}.`,
      { where: 'accuracies' },
    );
  for (const row of accuracies) finite(row, 'accuracies');
  const end = accuracies[tasks - 1];
  const earlier = Array.from({ length: tasks - 1 }, (_, i) => i);
  const best = (i: number): number => Math.max(...accuracies.slice(0, -1).map((row) => row[i]));
  const forgotten = earlier.map((i) => best(i) - end[i]);
  return {
    final: mean(end),
    forgotten,
    forgetting: mean(forgotten),
    backwardTransfer: mean(earlier.map((i) => end[i] - accuracies[i][i])),
  };
};
