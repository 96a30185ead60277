import * as z from 'zod';
import { promptIdOf } from '../../random/hash.ts';
import { columnOf, defineOperator, isFrom, valueOf } from './operator.ts';

/**
 * Answers become prompts with one answer to all of them: attacks with the refusal that a target learns (MART,
 * Ge et al. 2023, arXiv:2311.07689, patches its target on the attacks that succeeded). With a column, those
 * below `least` keep the reply that they got, so that the target stays as it was there. Reference and mark
 * are dropped; rows of other runs stay as they are. An empty answer, or one without a reply to keep, makes no
 * prompt; each prompt occurs once.
 */
export const asPrompt = defineOperator({
  id: 'as-prompt',
  title: 'Answers as prompts',
  summary: 'The answers of some runs become prompts with one answer to all: attacks that are to be refused.',
  params: z.strictObject({
    from: z
      .array(z.string().min(1).max(200))
      .max(16)
      .default([])
      .describe('Nodes whose answers become prompts; none: all of them.'),
    mark: z
      .string()
      .max(20)
      .default('')
      .describe('The prompt stands behind the last of these in the answer; empty: all of the answer.'),
    ending: z.string().max(200).default('').describe('Stands behind the answer in its prompt.'),
    answer: z.string().min(1).max(2000).describe('The answer to each of them.'),
    column: columnOf
      .nullable()
      .default(null)
      .describe('Answers below `least` in this column keep the reply that they got; null: none does.'),
    least: z.number().default(0.5),
  }),
  needs: ({ column }) => (column === null ? [] : [column]),
  runs: ({ from }) => from.map((run, at) => [`from.${at}`, run] as const),
  apply: (rows, { from, mark, ending, answer: refusal, column, least }) => {
    const known = new Set<string>();
    return rows.flatMap((row) => {
      if (from.length > 0 && !from.some((name) => isFrom(row.source, name))) return [row];
      const hidden = mark === '' ? -1 : row.answer.lastIndexOf(mark);
      const prompt = row.answer.slice(hidden < 0 ? 0 : hidden + mark.length) + ending;
      const isMeant = column === null || valueOf(row, column) >= least;
      const answer = isMeant ? refusal : row.extra?.reply;
      if (row.answer === '' || known.has(prompt) || typeof answer !== 'string') return [];
      known.add(prompt);
      return [{ ...row, prompt, promptId: promptIdOf(prompt), answer, reference: null, correct: null }];
    });
  },
});
