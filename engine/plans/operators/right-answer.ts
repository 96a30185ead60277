import * as z from 'zod';
import { defineOperator, isFrom } from './operator.ts';

/**
 * The right answer in place of the one that was given, where the world of its run tells it: what is learned
 * from failures (embodied red teaming: Karnik et al. 2024, arXiv:2411.18676). Rows of other runs stay as they
 * are; a row without a known right answer is left out.
 */
export const rightAnswer = defineOperator({
  id: 'right-answer',
  title: 'Right answer',
  summary:
    'Puts the right answer in place of the given one, for worlds that tell it: to learn from failures.',
  params: z.strictObject({
    from: z
      .array(z.string().min(1).max(200))
      .max(16)
      .default([])
      .describe('Nodes whose answers are replaced; none: all of them.'),
    only: z
      .enum(['all', 'wrong'])
      .default('all')
      .describe('Of those, all answers, or wrong ones; the others are left out.'),
  }),
  runs: ({ from }) => from.map((run, at) => [`from.${at}`, run] as const),
  adds: ['correct'],
  apply: (rows, { from, only }) =>
    rows.flatMap((row) => {
      if (from.length > 0 && !from.some((name) => isFrom(row.source, name))) return [row];
      if (row.reference === null || (only === 'wrong' && row.correct !== false)) return [];
      return [{ ...row, answer: row.reference, correct: true }];
    }),
});
