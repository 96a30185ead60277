import * as z from 'zod';
import { byPrompt, defineOperator, valueOf } from './operator.ts';

/**
 * The prompts that a policy solves, but least often (the second round of Satori: Shen et al. 2025,
 * arXiv:2502.02508, distils its answers to the hardest questions). A prompt without a right answer is left out: it
 * has nothing to distil. Of the others the `share` with the lowest rates of right answers stays, rounded up, those
 * of equal rates in the order in which they were asked; each with all its answers, and its rate in the column
 * `rate`.
 */
export const hardest = defineOperator({
  id: 'hardest',
  title: 'Hardest prompts',
  summary:
    'Of the prompts with a right answer the share that is solved least often, with all answers to them.',
  params: z.strictObject({
    share: z.number().positive().max(1).default(0.5).describe('Share of these prompts that stays.'),
  }),
  needs: () => ['correct'],
  adds: ['rate'],
  apply: (rows, { share }) => {
    const solved = [...byPrompt(rows).values()].flatMap((own) => {
      const marks = own.map((row) => valueOf(row, 'correct')).filter((mark) => !Number.isNaN(mark));
      const right = marks.filter((mark) => mark === 1).length;
      return right === 0 ? [] : [{ own, rate: right / marks.length }];
    });
    return solved
      .toSorted((a, b) => a.rate - b.rate)
      .slice(0, Math.ceil(share * solved.length))
      .flatMap(({ own, rate }) => own.map((row) => ({ ...row, extra: { ...row.extra, rate } })));
  },
});
