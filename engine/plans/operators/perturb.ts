import * as z from 'zod';
import { shuffle } from '../../random/random.ts';
import { defineOperator } from './operator.ts';

const pieces = { characters: (text: string) => [...text], words: (text: string) => text.split(' ') } as const;
const glue = { characters: '', words: ' ' } as const;

type Order = (count: number, seed: number, row: number, window: number) => number[];
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** The order of the pieces after the change, as indices of the pieces before. */
const orders = {
  reverse: (count) => upTo(count).reverse(),
  'even-odd': (count) => [
    ...upTo(count).filter((i) => i % 2 === 0),
    ...upTo(count).filter((i) => i % 2 === 1),
  ],
  local: (count, seed, _row, window) =>
    Array.from({ length: Math.ceil(count / window) }, (_, at) =>
      shuffle(
        upTo(count).slice(at * window, (at + 1) * window),
        seed,
        'local',
        Math.min(window, count - at * window),
      ),
    ).flat(),
  'by-length': (count, seed) => shuffle(upTo(count), seed, 'by length', count),
  random: (count, seed, row) => shuffle(upTo(count), seed, 'random', row),
} as const satisfies Record<string, Order>;

/**
 * Answers in another order of their pieces: the perturbed corpora of Kallini et al. 2024, arXiv:2401.06416, section
 * 3.1. All but `random` can be undone: one fixed order for each number of pieces. A run that learns from each, with
 * its held-out loss, tells how hard each is to learn.
 */
export const perturb = defineOperator({
  id: 'perturb',
  title: 'Perturb',
  summary: 'Puts the words or characters of each answer in another order, reversible or random.',
  params: z.strictObject({
    how: z
      .enum(['reverse', 'even-odd', 'local', 'by-length', 'random'])
      .default('by-length')
      .describe(
        'Last first; even places before odd ones; within windows; one order for each length; an order for ' +
          'each answer.',
      ),
    unit: z.enum(['words', 'characters']).default('words'),
    window: z.int().min(2).max(1000).default(3).describe('Pieces of a window, for `local`.'),
    seed: z.int().min(0).max(0xffff_ffff).default(0),
  }),
  apply: (rows, { how, unit, window, seed }) =>
    rows.map((row, at) => {
      const parts = pieces[unit](row.answer);
      const order = orders[how](parts.length, seed, at, window);
      const answer = order.map((i) => parts[i]).join(glue[unit]);
      // another text is no right answer any more, nor an answer that was judged
      return { ...row, answer, correct: null, extra: { ...row.extra, unperturbed: row.answer } };
    }),
});
