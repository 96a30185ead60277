import * as z from 'zod';
import { defineReward, type AnswerRow } from './reward.ts';

/**
 * Does an answer have the length that its token asks for (Ruler: Li et al. 2024, arXiv:2409.18943)? The token is at
 * the end of the prompt, or the model's own in front of the answer. Precise match: the length rounds to the token;
 * flexible match: it is at most one step away. 0 without a token.
 */
export const lengthToken = defineReward({
  id: 'length-token',
  title: 'Length token kept',
  summary: '1 for an answer of the length that the token in front of it, such as [8], asks for.',
  params: z.strictObject({
    match: z
      .enum(['precise', 'flexible'])
      .default('precise')
      .describe('Precise: within half a step of the token; flexible: within a step.'),
    unit: z.enum(['characters', 'words']).default('characters').describe('What lengths are counted in.'),
    step: z.int().min(1).max(10_000).default(1).describe('Lengths are multiples of this.'),
  }),
  scorer:
    ({ match, unit, step }) =>
    (rows) =>
      Float64Array.from(rows, (row) => {
        const asked = askedOf(row);
        if (!asked) return 0;
        const length = unit === 'words' ? (asked.text.match(/\S+/g) ?? []).length : [...asked.text].length;
        return Number(Math.abs(length - asked.length) <= (match === 'precise' ? step / 2 : step));
      }),
});

/** The wanted length and the answer without its token. */
const askedOf = ({
  prompt,
  completion,
}: Pick<AnswerRow, 'prompt' | 'completion'>): { readonly length: number; readonly text: string } | null => {
  const [own, wanted] = /^\[(\d{1,6})\]/.exec(completion) ?? [];
  if (own !== undefined) return { length: Number(wanted), text: completion.slice(own.length) };
  const [, given] = /\[(\d{1,6})\]$/.exec(prompt) ?? [];
  return given === undefined ? null : { length: Number(given), text: completion };
};
