import * as z from 'zod';
import { promptIdOf } from '../../random/hash.ts';
import { defineOperator, type PlanRow } from './operator.ts';

const pattern = z
  .string()
  .min(1)
  .max(500)
  .refine(
    (text) => {
      try {
        return Boolean(new RegExp(text, 'u'));
      } catch {
        return false;
      }
    },
    { message: 'is no regular expression.' },
  );

/**
 * New prompts by edit templates. A new prompt has no known answer: reference and mark are dropped, and each new
 * prompt occurs once. A template that changes nothing makes none.
 */
export const mutate = defineOperator({
  id: 'mutate',
  title: 'Mutate',
  summary: 'New prompts from prompts by edit templates: a pattern and its replacement, with $1 for groups.',
  params: z.strictObject({
    templates: z
      .array(z.strictObject({ find: pattern, replace: z.string().max(2000) }))
      .min(1)
      .max(64),
    keep: z.boolean().default(false).describe('True if the rows before are kept as well.'),
  }),
  apply: (rows, { templates, keep }) => {
    const made = new Map<string, PlanRow>();
    for (const { find, replace } of templates)
      for (const row of rows) {
        const prompt = row.prompt.replace(new RegExp(find, 'gu'), replace);
        if (prompt === row.prompt || made.has(prompt)) continue;
        const extra = { ...row.extra, parent: row.promptId };
        made.set(prompt, {
          ...row,
          prompt,
          promptId: promptIdOf(prompt),
          answer: '',
          reference: null,
          correct: null,
          extra,
        });
      }
    return [...(keep ? rows : []), ...made.values()];
  },
});
