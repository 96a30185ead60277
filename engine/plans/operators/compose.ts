import * as z from 'zod';
import { promptIdOf } from '../../random/hash.ts';
import { defineOperator, type PlanRow } from './operator.ts';
import { patternField } from './pattern.ts';

/**
 * Harder problems composed of easier ones (the data evolution of C2-Evo: Chen et al. 2025, arXiv:2507.16518): two
 * neighbouring prompts in the order of the rows, each read by the pattern, fill a template. Its `$1` is the first group
 * of the one prompt, `$2` that of the other. A composed prompt has no known answer: reference and mark are dropped, and
 * each occurs once. A prompt that the pattern does not fit, and the last of an odd number, makes none.
 */
export const compose = defineOperator({
  id: 'compose',
  title: 'Compose',
  summary: 'Two prompts become one: a pattern takes a part of each, and a template joins the parts.',
  params: z.strictObject({
    find: patternField.describe('A regular expression with a group: the part of a prompt that is used.'),
    join: z
      .string()
      .max(2000)
      .refine((text) => text.includes('$1') && text.includes('$2'), { message: 'It names $1 and $2.' })
      .describe('The composed prompt, with $1 and $2 for the two parts.'),
    keep: z.boolean().default(false).describe('True if the rows before are kept as well.'),
  }),
  apply: (rows, { find, join, keep }) => {
    const parts = [...new Map(rows.map((row) => [row.promptId, row])).values()].flatMap((row) => {
      const part = new RegExp(find, 'u').exec(row.prompt)?.[1];
      return part === undefined ? [] : [{ row, part }];
    });
    const known = new Set(rows.map(({ prompt }) => prompt));
    const made: PlanRow[] = [];
    for (let at = 0; at + 1 < parts.length; at += 2) {
      const [one, other] = [parts[at], parts[at + 1]];
      const prompt = join.replaceAll(/\$([12])/g, (_all, n) => (n === '1' ? one.part : other.part));
      if (known.has(prompt)) continue;
      known.add(prompt);
      const parents = [one.row.promptId, other.row.promptId];
      made.push({
        ...one.row,
        prompt,
        promptId: promptIdOf(prompt),
        answer: '',
        reference: null,
        correct: null,
        extra: { ...one.row.extra, parents },
      });
    }
    return [...(keep ? rows : []), ...made];
  },
});
