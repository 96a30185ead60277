import * as z from 'zod';
import { hashFraction } from '../../random/hash.ts';
import { byPrompt, columnOf, defineOperator, valueOf } from './operator.ts';

/**
 * Prompts by their informativeness (eva: Ye et al. 2024, arXiv:2411.00062, §3.2): the best minus the mean reward of
 * a prompt's answers, or minus the worst. Drawn without replacement in proportion to it (Efraimidis and Spirakis
 * 2006) with a hash of the prompt; prompts whose answers are equally good are never drawn. The first answer of a
 * prompt stays as its row. With `keep` the rows are a buffer of all prompts so far, of which the drawn ones are marked
 * by their number.
 */
export const informative = defineOperator({
  id: 'informative',
  title: 'Informative prompts',
  summary: 'Prompts drawn in proportion to how far their best answer is above the others; one row for each.',
  params: z.strictObject({
    column: columnOf.default('reward'),
    by: z.enum(['best-mean', 'best-worst']).default('best-mean'),
    count: z.int().min(1).max(100_000).default(64).describe('Prompts that are drawn.'),
    keep: z
      .boolean()
      .default(false)
      .describe('True if all other prompts stay as well, without a number in the column informative.'),
    seed: z.int().min(0).default(0),
  }),
  needs: ({ column }) => [column],
  adds: ['informative'],
  apply: (rows, { column, by, count, keep, seed }) => {
    const prompts = [...byPrompt(rows).values()];
    const drawn = prompts
      .flatMap((own) => {
        const values = own.map((row) => valueOf(row, column)).filter((value) => !Number.isNaN(value));
        if (values.length === 0) return [];
        const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
        const gain = Math.max(...values) - (by === 'best-mean' ? mean : Math.min(...values));
        if (gain <= 0) return [];
        const draw = hashFraction('informative', String(seed), own[0].promptId);
        return [
          { row: { ...own[0], extra: { ...own[0].extra, informative: gain } }, key: Math.log(draw) / gain },
        ];
      })
      .toSorted((a, b) => b.key - a.key)
      .slice(0, count)
      .map(({ row }) => row);
    if (!keep) return drawn;
    const known = new Map(drawn.map((row) => [row.promptId, row]));
    return prompts.map(([first]) => known.get(first.promptId) ?? first);
  },
});
