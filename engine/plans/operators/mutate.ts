import * as z from 'zod';
import { promptIdOf } from '../../random/hash.ts';
import { columnOf, defineOperator, valueOf, type PlanRow } from './operator.ts';
import { patternField } from './pattern.ts';

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
      .array(z.strictObject({ find: patternField, replace: z.string().max(2000) }))
      .min(1)
      .max(64),
    only: columnOf
      .nullable()
      .default(null)
      .describe('Rows without a number in this column get no variants; null: all rows get them.'),
    keep: z.boolean().default(false).describe('True if the rows before are kept as well.'),
  }),
  needs: ({ only }) => (only === null ? [] : [only]),
  apply: (rows, { templates, only, keep }) => {
    const parents = only === null ? rows : rows.filter((row) => !Number.isNaN(valueOf(row, only)));
    const made = new Map<string, PlanRow>(keep ? rows.map((row) => [row.prompt, row]) : []);
    const before = made.size;
    for (const { find, replace } of templates)
      for (const row of parents) {
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
    return [...(keep ? rows : []), ...[...made.values()].slice(before)];
  },
});
