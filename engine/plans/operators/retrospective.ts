import * as z from 'zod';
import { byPrompt, columnOf, defineOperator, isFrom, valueOf, type PlanRow } from './operator.ts';

/** Mean of a column over answers; NaN without a number. */
const meanOf = (own: readonly PlanRow[], column: string): number => {
  const values = own.map((each) => valueOf(each, column)).filter((value) => !Number.isNaN(value));
  return values.reduce((sum, value) => sum + value, 0) / values.length;
};

/**
 * Difficulty-aware retrospective sampling (QwenLong-L1: Wan et al. 2025, arXiv:2505.17667, §3): a phase of training
 * has all prompts of its own, and hard ones of earlier phases: those of the lowest mean reward. One row for each
 * prompt, its first. A prompt that the phase has itself is not carried over, nor one without a number.
 */
export const retrospective = defineOperator({
  id: 'retrospective',
  title: 'Retrospective sampling',
  summary: 'All prompts of one run, and the hardest prompts of the other runs, by their mean reward.',
  params: z.strictObject({
    phase: z.string().min(1).max(200).describe('Node with the prompts of this phase.'),
    column: columnOf.default('reward'),
    count: z.int().min(0).max(100_000).default(32).describe('Most prompts that are carried over.'),
    most: z.number().default(Number.MAX_VALUE).describe('Greatest mean of a prompt that is carried over.'),
  }),
  needs: ({ column }) => [column],
  runs: ({ phase }) => [['phase', phase]],
  adds: ['carried'],
  apply: (rows, { phase, column, count, most }) => {
    const [now, earlier] = [true, false].map((isOwn) =>
      rows.filter(({ source }) => isFrom(source, phase) === isOwn),
    );
    const own = byPrompt(now);
    const hard = [...byPrompt(earlier)]
      .filter(([id]) => !own.has(id))
      .map(([, answers]) => ({ row: answers[0], mean: meanOf(answers, column) }))
      .filter(({ mean }) => mean <= most)
      .toSorted((a, b) => a.mean - b.mean)
      .slice(0, count);
    const marked = (row: PlanRow, carried: number): PlanRow => ({ ...row, extra: { ...row.extra, carried } });
    return [
      ...[...own.values()].map(([first]) => marked(first, 0)),
      ...hard.map(({ row }) => marked(row, 1)),
    ];
  },
});
