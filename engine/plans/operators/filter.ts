import * as z from 'zod';
import { columnOf, defineOperator, valueOf } from './operator.ts';

/** Rejection sampling (Zelikman et al. 2022, arXiv:2203.14465, and others): a row without a number is left out. */
export const filter = defineOperator({
  id: 'filter',
  title: 'Filter',
  summary: 'Answers whose number in a column lies within bounds.',
  params: z.strictObject({
    column: columnOf.default('reward'),
    least: z.number().default(-Number.MAX_VALUE),
    most: z.number().default(Number.MAX_VALUE),
  }),
  needs: ({ column }) => [column],
  apply: (rows, { column, least, most }) =>
    rows.filter((row) => {
      const value = valueOf(row, column);
      return value >= least && value <= most;
    }),
});
