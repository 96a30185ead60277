import * as z from 'zod';
import { byPrompt, columnOf, defineOperator, isFrom, valueOf, type PlanRow } from './operator.ts';

const runs = z.array(z.string().min(1).max(200)).min(1).max(16);

/**
 * Preferences across time (Temporal Self-Rewarding: Wang et al. 2025, arXiv:2508.06026): the best answer of the
 * current and a provisional future model over the worst one of a past model, so that the gap of the pairs does not
 * close as the policy improves. Of equal numbers the first counts. A prompt that one side did not answer makes no
 * pair, nor one whose best answer does not lead by more than `margin`, or equals the rejected one.
 */
export const pairByRun = defineOperator({
  id: 'pair-by-run',
  title: 'Pair by run',
  summary:
    'The best answer of some runs becomes the right one, the worst answer of other runs the wrong one.',
  params: z.strictObject({
    chosen: runs.describe('Nodes whose best answer is preferred: the current and the future model.'),
    rejected: runs.describe('Nodes whose worst answer is rejected: a past model.'),
    column: columnOf.default('reward'),
    margin: z
      .number()
      .default(0)
      .describe('The best is better by more than this; negative: it may be worse.'),
  }),
  needs: ({ column }) => [column],
  runs: ({ chosen, rejected }) => [
    ...chosen.map((run, at) => [`chosen.${at}`, run] as const),
    ...rejected.map((run, at) => [`rejected.${at}`, run] as const),
  ],
  adds: ['correct'],
  apply: (rows, { chosen, rejected, column, margin }) => {
    const best = (of: readonly PlanRow[], names: readonly string[], sign: 1 | -1): PlanRow | undefined =>
      of
        .filter(({ source }) => names.some((name) => isFrom(source, name)))
        .toSorted((a, b) => sign * (valueOf(b, column) - valueOf(a, column)))
        .at(0);
    return [...byPrompt(rows).values()].flatMap((own) => {
      const scored = own.filter((row) => !Number.isNaN(valueOf(row, column)));
      const [right, wrong] = [best(scored, chosen, 1), best(scored, rejected, -1)];
      if (!right || !wrong || right.answer === wrong.answer) return [];
      if (valueOf(right, column) - valueOf(wrong, column) <= margin) return [];
      return [
        { ...right, correct: true },
        { ...wrong, correct: false },
      ];
    });
  },
});
