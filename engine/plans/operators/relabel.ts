import * as z from 'zod';
import { columnOf, defineOperator, valueOf } from './operator.ts';

/** A row without a number in the column is left unmarked. */
export const relabel = defineOperator({
  id: 'relabel',
  title: 'Relabel',
  summary: 'Marks answers right or wrong by a column, such as their reward, whatever a verifier said.',
  params: z.strictObject({
    column: columnOf.default('reward'),
    least: z.number().default(1).describe('Right from this number on.'),
  }),
  needs: ({ column }) => [column],
  adds: ['correct'],
  apply: (rows, { column, least }) =>
    rows.map((row) => {
      const value = valueOf(row, column);
      return { ...row, correct: Number.isNaN(value) ? null : value >= least };
    }),
});
