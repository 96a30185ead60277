import * as z from 'zod';
import { hashFraction, promptIdOf } from '../../random/hash.ts';
import { byPrompt, defineOperator } from './operator.ts';

/**
 * Shown examples (in-context learning: Brown et al. 2020, arXiv:2005.14165): `count` other prompts, each with its first
 * answer, in front of each prompt. Which ones and in which order depends on a hash of the prompt. The row keeps its
 * answer; `plain` takes the examples away again. Without enough other
 * prompts a row is left out.
 */
export const examples = defineOperator({
  id: 'examples',
  title: 'Show examples',
  summary: 'Other prompts with their answers are written in front of each prompt.',
  params: z.strictObject({
    count: z.int().min(1).max(16).default(2).describe('Examples in front of each prompt.'),
    separator: z.string().min(1).max(20).default('\n').describe('Text behind each example.'),
    keep: z.boolean().default(false).describe('True if the rows without examples are kept as well.'),
    seed: z.int().min(0).default(0),
  }),
  apply: (rows, { count, separator, keep, seed }) => {
    const firsts = [...byPrompt(rows).values()].map(([first]) => first);
    const made = rows.flatMap((row) => {
      const others = firsts
        .filter(({ promptId }) => promptId !== row.promptId)
        .map((example) => ({
          example,
          key: hashFraction('examples', String(seed), row.promptId, example.promptId),
        }))
        .toSorted((a, b) => a.key - b.key)
        .slice(0, count);
      if (others.length < count) return [];
      const shown = others.map(({ example }) => example.prompt + example.answer + separator).join('');
      const prompt = shown + row.prompt;
      return [{ ...row, prompt, promptId: promptIdOf(prompt) }];
    });
    return keep ? [...rows, ...made] : made;
  },
});

/** Takes shown examples away: the prompt is what is behind the last separator. */
export const plain = defineOperator({
  id: 'plain',
  title: 'Plain prompt',
  summary: 'Takes shown examples away: the prompt is the text behind the last separator.',
  params: z.strictObject({
    separator: z.string().min(1).max(20).default('\n').describe('Text behind each example.'),
  }),
  apply: (rows, { separator }) =>
    rows.map((row) => {
      const prompt = row.prompt.slice(row.prompt.lastIndexOf(separator) + separator.length);
      return row.prompt.includes(separator) ? { ...row, prompt, promptId: promptIdOf(prompt) } : row;
    }),
});
