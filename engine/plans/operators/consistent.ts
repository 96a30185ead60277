import * as z from 'zod';
import { hashFraction } from '../../random/hash.ts';
import { byPrompt, columnOf, defineOperator, valueOf, type PlanRow } from './operator.ts';
import { pair } from './pair.ts';

/** Kendall's τ (a) of two columns over the answers to a prompt; null for fewer than two. Ties count as neither. */
function kendall(rows: readonly PlanRow[], a: string, b: string): number | null {
  const known = rows.filter((row) => !Number.isNaN(valueOf(row, a)) && !Number.isNaN(valueOf(row, b)));
  if (known.length < 2) return null;
  let agreeing = 0;
  known.forEach((row, at) => {
    for (const other of known.slice(0, at))
      agreeing +=
        Math.sign(valueOf(row, a) - valueOf(other, a)) * Math.sign(valueOf(row, b) - valueOf(other, b));
  });
  return agreeing / ((known.length * (known.length - 1)) / 2);
}

/**
 * Pairs with the soft labels of CREAM (Wang et al. 2024, arXiv:2410.12735, equation 9): with C the mean over
 * prompts of (τ + 1) / 2 between the rankings by the current and the previous model, the loss is
 * C · DPO(best, worst) + (1 − C) · DPO(worst, best). Each pair is turned with probability 1 − C, by a hash of the
 * prompt, so that this is the expected loss. The column consistency is C.
 */
export const consistent = defineOperator({
  id: 'consistent-pair',
  title: 'Consistent pair',
  summary:
    'Best and worst by the current model; a share of pairs that grows with its disagreement with the previous one is turned.',
  params: z.strictObject({
    current: columnOf,
    previous: columnOf,
    seed: z.int().min(0).default(0),
  }),
  needs: ({ current, previous }) => [current, previous],
  adds: ['correct', 'consistency'],
  apply: (rows, { current, previous, seed }) => {
    const taus = [...byPrompt(rows).values()].flatMap((own) => kendall(own, current, previous) ?? []);
    const consistency = taus.reduce((sum, tau) => sum + (tau + 1) / 2, 0) / taus.length;
    return pair.apply(rows, { column: current }).map((row) => {
      const isTurned = hashFraction('consistency', String(seed), row.promptId) >= consistency;
      return { ...row, correct: isTurned !== row.correct, extra: { ...row.extra, consistency } };
    });
  },
});
