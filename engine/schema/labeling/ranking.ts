import * as z from 'zod';
import type { LabelMode } from './mode.ts';

/** Ranks of the answers as shown, 1 the best; equal ranks are ties. */
const Ranking = z.array(z.int().min(1));

export const ranking: LabelMode = {
  id: 'ranking',
  title: 'Ranking',
  summary: 'Order several answers from best to worst.',
  answers: { least: 2, most: 9 },
  value: (count) =>
    Ranking.length(count).refine((ranks) => Math.max(...ranks) <= count, {
      error: 'a rank is larger than the number of answers',
    }),
  pairs: (answers, value) => {
    const ranks = Ranking.parse(value);
    return answers.flatMap((chosen, i) =>
      answers.flatMap((rejected, j) => (ranks[i] < ranks[j] ? [{ chosen, rejected }] : [])),
    );
  },
};
