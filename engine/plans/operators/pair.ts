import * as z from 'zod';
import { byPrompt, columnOf, defineOperator, valueOf } from './operator.ts';

/**
 * Best and worst of a prompt as a preference (self-rewarding: Yuan et al. 2024, arXiv:2401.10020, §2.3). Of equal
 * numbers the first counts; a prompt whose numbers or texts are equal, or with fewer than two, makes no pair.
 */
export const pair = defineOperator({
  id: 'pair',
  title: 'Pair',
  summary: 'The best answer of a prompt becomes the right one, the worst the wrong one: a preference.',
  params: z.strictObject({
    column: columnOf.default('reward'),
    margin: z.number().min(0).default(0).describe('The best is better by more than this.'),
  }),
  needs: ({ column }) => [column],
  adds: ['correct'],
  apply: (rows, { column, margin }) =>
    [...byPrompt(rows).values()].flatMap((own) => {
      const scored = own.filter((row) => !Number.isNaN(valueOf(row, column)));
      if (scored.length < 2) return [];
      const better = (a: (typeof own)[number], b: (typeof own)[number]): number =>
        valueOf(b, column) - valueOf(a, column);
      const [best, worst] = [scored.toSorted(better)[0], scored.toSorted((a, b) => better(b, a))[0]];
      if (valueOf(best, column) - valueOf(worst, column) <= margin || best.answer === worst.answer) return [];
      return [
        { ...best, correct: true },
        { ...worst, correct: false },
      ];
    }),
});
