import * as z from 'zod';
import { promptIdOf } from '../../random/hash.ts';
import { defineOperator } from './operator.ts';

/** The length that a token stands for: the nearest multiple of the step, at least one step. */
export const bucketOf = (length: number, step: number): number =>
  Math.max(1, Math.round(length / step)) * step;

/** The token of a length, such as `[8]`. */
export const lengthToken = (length: number): string => `[${length}]`;

/**
 * Meta length tokens (Ruler: Li et al. 2024, arXiv:2409.18943): the length of each answer, rounded to a multiple of
 * `step`, in front of it. The model learns to write the token and an answer of that length; a token at the end of the
 * prompt then asks for a length. The reward `length-token` measures how many answers keep to it.
 */
export const lengthTokens = defineOperator({
  id: 'length-token',
  title: 'Length token',
  summary: 'The length of each answer, as a token in front of it or at the end of its prompt.',
  params: z.strictObject({
    unit: z.enum(['characters', 'words']).default('characters'),
    step: z.int().min(1).max(10_000).default(1).describe('Lengths are rounded to multiples of this.'),
    into: z
      .enum(['answer', 'prompt'])
      .default('answer')
      .describe('Answer: the model writes the token as well; prompt: it is given.'),
  }),
  adds: ['length token'],
  apply: (rows, { unit, step, into }) =>
    rows
      .filter(({ answer }) => answer.trim() !== '')
      .map((row) => {
        const length = bucketOf(sizeOf(row.answer, unit), step);
        const extra = { ...row.extra, 'length token': length };
        if (into === 'answer') return { ...row, answer: lengthToken(length) + row.answer, extra };
        const prompt = row.prompt + lengthToken(length);
        return { ...row, prompt, promptId: promptIdOf(prompt), extra };
      }),
});

/** Length of a text in characters or words. */
const sizeOf = (text: string, unit: 'characters' | 'words'): number =>
  unit === 'words' ? (text.match(/\S+/g) ?? []).length : [...text].length;
