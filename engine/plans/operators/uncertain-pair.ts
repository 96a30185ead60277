import * as z from 'zod';
import { pairColumns } from '../../schema/preference.ts';
import { byPrompt, columnOf, defineOperator, valueOf, type PlanRow } from './operator.ts';

/** Entropy of a coin in bits; 0 at its ends. */
const entropy = (p: number): number =>
  p <= 0 || p >= 1 ? 0 : -(p * Math.log2(p) + (1 - p) * Math.log2(1 - p));
const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * What members of an ensemble disagree on, in bits: the mutual information between the preference and the member,
 * H(mean p) − mean H(p), 0 to 1 (BALD: Houlsby et al. 2011, arXiv:1112.5745).
 */
export const disagreement = (chances: readonly number[]): number =>
  Math.max(0, entropy(meanOf(chances)) - meanOf(chances.map(entropy)));

/**
 * Pairs with the certainty of an estimator (UPO: Wang et al. 2024, arXiv:2409.11212): the columns are scores of one
 * answer by several estimators, with p = σ(score of the best − score of the worst) for each of them. The weight of a
 * pair is 1 − uncertainty. The best and the worst answer are those of the mean score; of equal ones the first counts.
 * A row without a number in one of the columns is left out.
 */
export const uncertainPair = defineOperator({
  id: 'uncertain-pair',
  title: 'Uncertain pair',
  summary:
    'Best and worst answer by the mean of several scores, weighted by how far these agree. The column uncertainty is ' +
    'what they disagree on, 0 to 1.',
  params: z.strictObject({
    columns: z.array(columnOf).min(2).max(16).describe('Scores of the members of an ensemble.'),
    most: z.number().min(0).max(1).default(1).describe('Pairs of more uncertainty are left out.'),
  }),
  needs: ({ columns }) => columns,
  adds: ['correct', 'uncertainty', pairColumns.weight],
  apply: (rows, { columns, most }) => {
    const scoresOf = (row: PlanRow): number[] => columns.map((column) => valueOf(row, column));
    return [...byPrompt(rows).values()].flatMap((own) => {
      const scored = own
        .map((row) => ({ row, scores: scoresOf(row) }))
        .filter(({ scores }) => !scores.some(Number.isNaN))
        .map(({ row, scores }) => ({ row, scores, mean: meanOf(scores) }));
      if (scored.length < 2) return [];
      const best = scored.reduce((found, each) => (each.mean > found.mean ? each : found));
      const worst = scored.reduce((found, each) => (each.mean < found.mean ? each : found));
      if (best.mean <= worst.mean || best.row.answer === worst.row.answer) return [];
      const chances = best.scores.map((score, k) => 1 / (1 + Math.exp(worst.scores[k] - score)));
      const uncertainty = disagreement(chances);
      if (uncertainty > most) return [];
      const made = (row: PlanRow, correct: boolean): PlanRow => ({
        ...row,
        correct,
        extra: { ...row.extra, uncertainty, [pairColumns.weight]: 1 - uncertainty },
      });
      return [made(best.row, true), made(worst.row, false)];
    });
  },
});
