import * as z from 'zod';
import { promptIdOf } from '../../random/hash.ts';
import { byPrompt, defineOperator } from './operator.ts';

/**
 * Part of a right answer in the prompt, for prompts that are too hard (StepHint and others): the first right
 * answer gives the hint and stays the answer. A prompt without a right answer, or with more than `most` of them,
 * gets none.
 */
export const hint = defineOperator({
  id: 'hint',
  title: 'Hint',
  summary: 'The beginning of a right answer is written into the prompt; one row for each prompt.',
  params: z.strictObject({
    share: z.number().min(0).max(1).default(0.3).describe('Share of the right answer, in characters.'),
    template: z
      .string()
      .max(2000)
      .default('{prompt}{hint}')
      .refine((text) => text.includes('{prompt}') && text.includes('{hint}'), {
        message: 'It names {prompt} and {hint}.',
      }),
    most: z
      .number()
      .min(0)
      .max(1)
      .default(1)
      .describe('Most right answers of a prompt that gets a hint, a share.'),
  }),
  needs: () => ['correct'],
  apply: (rows, { share, template, most }) =>
    [...byPrompt(rows).values()].flatMap((own) => {
      const right = own.filter(({ correct }) => correct === true);
      if (right.length === 0 || right.length / own.length > most) return [];
      const [row] = right;
      const letters = [...row.answer];
      const text = letters.slice(0, Math.floor(share * letters.length)).join('');
      const prompt = template.replaceAll(/\{(prompt|hint)\}/g, (_all, name) =>
        name === 'prompt' ? row.prompt : text,
      );
      return [{ ...row, prompt, promptId: promptIdOf(prompt) }];
    }),
});
