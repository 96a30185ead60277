import * as z from 'zod';
import { byPrompt, defineOperator, isFrom, partField, voteOf, winnerOf } from './operator.ts';

/**
 * Pseudo-labels by majority vote (Huang et al. 2022, arXiv:2210.11610; TTRL, arXiv:2504.16084). A prompt whose
 * votes tie, have no part to compare, or agree too little is left out.
 */
export const majority = defineOperator({
  id: 'majority',
  title: 'Majority label',
  summary:
    'The majority answer of a prompt becomes its reference, and answers are right if they agree. The column ' +
    'agreement is the share of its votes.',
  params: z.strictObject({
    part: partField,
    by: z.string().min(1).nullable().default(null).describe('Node whose answers vote; null: all of them.'),
    agreement: z.number().min(0).max(1).default(0).describe('Least share of the votes for the majority.'),
  }),
  runs: ({ by }) => (by === null ? [] : [['by', by]]),
  adds: ['correct', 'agreement', 'reference'],
  apply: (rows, { part, agreement, by }) => {
    const winners = new Map(
      [...byPrompt(rows)].map(([id, own]) => {
        const voters = own.filter(({ source }) => by === null || isFrom(source, by));
        return [id, winnerOf(voters.map((row) => voteOf(row, part)))];
      }),
    );
    return rows.flatMap((row) => {
      const won = winners.get(row.promptId);
      if (!won || won.share < agreement) return [];
      const correct = voteOf(row, part) === won.vote;
      return [{ ...row, correct, reference: won.vote, extra: { ...row.extra, agreement: won.share } }];
    });
  },
});
