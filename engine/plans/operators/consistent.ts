import * as z from 'zod';
import { hashFraction } from '../../random/hash.ts';
import { pairColumns } from '../../schema/preference.ts';
import { byPrompt, columnOf, defineOperator, valueOf, type PlanRow } from './operator.ts';
import { pair } from './pair.ts';

/**
 * Kendall's τ of two columns over the answers to a prompt: agreeing less disagreeing pairs, of those that both
 * columns order (Goodman and Kruskal's γ). Equal answers have equal scores, which say nothing of agreement. Null
 * without an ordered pair.
 */
function kendall(rows: readonly PlanRow[], a: string, b: string): number | null {
  const known = rows.filter((row) => !Number.isNaN(valueOf(row, a)) && !Number.isNaN(valueOf(row, b)));
  const signs = known.flatMap((row, at) =>
    known
      .slice(0, at)
      .filter(({ answer }) => answer !== row.answer)
      .map(
        (other) =>
          Math.sign(valueOf(row, a) - valueOf(other, a)) * Math.sign(valueOf(row, b) - valueOf(other, b)),
      )
      .filter((sign) => sign !== 0),
  );
  return signs.length === 0 ? null : signs.reduce((sum, sign) => sum + sign, 0) / signs.length;
}

/**
 * Pairs with the soft labels of CREAM (Wang et al. 2024, arXiv:2410.12735, equation 9): with C the mean over
 * prompts of (τ + 1) / 2 between the rankings by the current and the previous model, the loss is
 * C · DPO(best, worst) + (1 − C) · DPO(worst, best). C is the soft label of each pair, so that a loss of pairs weighs
 * both orders by it. `drawn` is for methods without soft labels: each pair is turned with probability 1 − C, by a hash
 * of the prompt and the runs that answered, which is the same loss in expectation. The column consistency is C; 1 if
 * no prompt has answers that both order.
 */
export const consistent = defineOperator({
  id: 'consistent-pair',
  title: 'Consistent pair',
  summary:
    'Best and worst by the current model, with a soft label: the agreement of its ranking with that of the previous one.',
  params: z.strictObject({
    current: columnOf,
    previous: columnOf,
    labels: z
      .enum(['soft', 'drawn'])
      .default('soft')
      .describe('Soft: both orders of each pair, weighted; drawn: whole pairs are turned by chance.'),
    seed: z.int().min(0).default(0).describe('Of labels that are drawn.'),
  }),
  needs: ({ current, previous }) => [current, previous],
  adds: ['correct', 'consistency', pairColumns.agreement],
  apply: (rows, { current, previous, labels, seed }) => {
    const taus = [...byPrompt(rows).values()].flatMap((own) => kendall(own, current, previous) ?? []);
    const consistency =
      taus.length === 0 ? 1 : taus.reduce((sum, tau) => sum + (tau + 1) / 2, 0) / taus.length;
    const sources = [...new Set(rows.map(({ source }) => source))].toSorted().join();
    return pair.apply(rows, { column: current }).map((row) => {
      const extra = { ...row.extra, consistency };
      if (labels === 'soft') return { ...row, extra: { ...extra, [pairColumns.agreement]: consistency } };
      const isTurned = hashFraction('consistency', String(seed), sources, row.promptId) >= consistency;
      return { ...row, correct: isTurned !== row.correct, extra };
    });
  },
});
