import * as z from 'zod';

/** Parameters of every search: how answers are read, and how votes are weighted. */
export const searchFields = {
  answer: z
    .enum(['last-line', 'marked', 'number', 'whole'])
    .default('last-line')
    .describe(
      'The part of a text that counts as its answer: its last line, the text after the last mark (or in the ' +
        'last \\boxed{}), its last number, or all of it.',
    ),
  mark: z.string().min(1).max(40).default('####').describe('The mark before the answer (answer "marked").'),
  rankPower: z
    .number()
    .min(0)
    .max(10)
    .default(1)
    .describe('Power of the votes by rank: 0 is the majority vote, a large one best-of-n.'),
};
