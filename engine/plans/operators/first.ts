import * as z from 'zod';
import { byPrompt, columnOf, defineOperator, valueOf } from './operator.ts';

/** Rows without a number come last; equal numbers keep their order. */
export const first = defineOperator({
  id: 'first',
  title: 'First of each prompt',
  summary: 'The first answers of each prompt, or the best by a column.',
  params: z.strictObject({
    count: z.int().min(1).max(10_000).default(1),
    by: columnOf
      .nullable()
      .default(null)
      .describe('Column that orders them, highest first; null: as sampled.'),
  }),
  needs: ({ by }) => (by === null ? [] : [by]),
  apply: (rows, { count, by }) => {
    const rank = (row: (typeof rows)[number]): number => {
      const value = by === null ? 0 : valueOf(row, by);
      return Number.isNaN(value) ? -Number.MAX_VALUE : value;
    };
    const kept = new Set(
      [...byPrompt(rows).values()].flatMap((own) =>
        own.toSorted((a, b) => rank(b) - rank(a)).slice(0, count),
      ),
    );
    return rows.filter((row) => kept.has(row));
  },
});
