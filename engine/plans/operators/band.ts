import * as z from 'zod';
import { byPrompt, columnOf, defineOperator, valueOf } from './operator.ts';

/**
 * Prompts of a band of difficulty (the data–model loop of C2-Evo: Chen et al. 2025, arXiv:2507.16518, keeps problems
 * by the error rate of the current model; the bounds of DAPO and others are 0 and 1, left out): the mean of a column
 * over a prompt's answers lies within the bounds. One row for each prompt, its first, with the mean in the column
 * `rate`. A prompt without a number is left out.
 */
export const band = defineOperator({
  id: 'band',
  title: 'Band of difficulty',
  summary: 'Prompts whose mean, such as their share of right answers, lies within bounds; one row for each.',
  params: z
    .strictObject({
      column: columnOf.default('correct'),
      least: z.number().default(0.2),
      most: z.number().default(0.8),
    })
    .refine(({ least, most }) => least <= most, { message: 'is less than least.', path: ['most'] }),
  needs: ({ column }) => [column],
  adds: ['rate'],
  apply: (rows, { column, least, most }) =>
    [...byPrompt(rows).values()].flatMap((own) => {
      const values = own.map((row) => valueOf(row, column)).filter((value) => !Number.isNaN(value));
      const rate = values.reduce((sum, value) => sum + value, 0) / values.length;
      return rate >= least && rate <= most ? [{ ...own[0], extra: { ...own[0].extra, rate } }] : [];
    }),
});
