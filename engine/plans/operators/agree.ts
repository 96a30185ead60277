import * as z from 'zod';
import { byPrompt, defineOperator, partField, voteOf, winnerOf } from './operator.ts';

/**
 * The filter of stage one of weak-to-strong reasoning (Yang et al. 2024, arXiv:2407.13647, §3.1): prompts on
 * which the majority answers of all sources are equal. A prompt that one of them did not answer, or on which
 * its votes tie, is left out.
 */
export const agree = defineOperator({
  id: 'agree',
  title: 'Sources agree',
  summary:
    'Answers on which several runs agree: their majority answers to the prompt are equal, and so are these.',
  params: z.strictObject({ part: partField }),
  adds: ['correct', 'reference'],
  apply: (rows, { part }) => {
    const sources = [...new Set(rows.map(({ source }) => source))];
    const agreed = new Map(
      [...byPrompt(rows)].map(([id, own]) => {
        const votes = sources.map(
          (source) =>
            winnerOf(own.flatMap((row) => (row.source === source ? [voteOf(row, part)] : [])))?.vote ?? null,
        );
        return [id, votes.every((vote) => vote === votes[0]) ? votes[0] : null];
      }),
    );
    return rows.flatMap((row) => {
      const vote = agreed.get(row.promptId) ?? null;
      return vote !== null && voteOf(row, part) === vote ? [{ ...row, correct: true, reference: vote }] : [];
    });
  },
});
