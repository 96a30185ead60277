import { WhetstoneError } from '../../common/errors.ts';
import { finite, notEmpty } from '../inputs.ts';

/** Values by run (seed) and problem; every run has the same problems, in the same order. */
export type Scores = readonly (readonly number[])[];

/** Throws `invalid-input` for no run, no problem, or runs with unequal numbers; `numeric` unless all are finite. */
export const fullTable = (scores: Scores, name: string): void => {
  notEmpty(scores, name);
  for (const row of scores) {
    notEmpty(row, name);
    finite(row, name);
    if (row.length !== scores[0].length)
      throw new WhetstoneError('invalid-input', `Every run needs ${scores[0].length} ${name}.`, {
        where: name,
      });
  }
};
