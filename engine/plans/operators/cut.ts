import * as z from 'zod';
import { promptIdOf } from '../../random/hash.ts';
import { defineOperator } from './operator.ts';

const piecesOf = { characters: /./gsu, words: /\s*\S+/g, lines: /[^\n]*\n?/g } as const;

/**
 * Start states inside an answer (reverse curriculum: Xi et al. 2024, arXiv:2402.05808): the kept pieces go to the
 * prompt, the rest is the answer. An answer of which nothing or all would be kept is left out.
 */
export const cut = defineOperator({
  id: 'cut',
  title: 'Cut',
  summary: 'The beginning of an answer becomes the end of its prompt; the rest is the answer.',
  params: z.strictObject({
    share: z.number().min(0).max(1).default(0.5).describe('Share of the answer that goes to the prompt.'),
    unit: z.enum(['characters', 'words', 'lines']).default('words'),
  }),
  apply: (rows, { share, unit }) =>
    rows.flatMap((row) => {
      const pieces = (row.answer.match(piecesOf[unit]) ?? []).filter((piece) => piece !== '');
      const kept = pieces.slice(0, Math.floor(share * pieces.length)).join('');
      const answer = row.answer.slice(kept.length);
      if (kept === '' || answer.trim() === '') return [];
      const prompt = row.prompt + kept;
      return [{ ...row, prompt, promptId: promptIdOf(prompt), answer }];
    }),
});
