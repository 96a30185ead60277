import * as z from 'zod';
import { guardedPattern, type GuardedPattern } from './guarded-pattern.ts';
import { defineMatch, each, partFields, partOf } from './match.ts';

const params = z
  .strictObject({
    pattern: z
      .string()
      .max(2000)
      .default('')
      .describe(
        'Extracts the final answer: its first group, or else its whole match, must be the reference. ' +
          'Empty: the reference itself is the pattern.',
      ),
    flags: z
      .string()
      .regex(/^(?!.*(.).*\1)[imsu]*$/, 'each of i, m, s, u at most once')
      .default('')
      .describe('i: case does not count; m: ^ and $ at each line; s: . is any character; u: Unicode.'),
    ...partFields,
  })
  .refine(({ pattern, flags }) => isPattern(pattern, flags), {
    message: 'is not a regular expression',
    path: ['pattern'],
  });

const isPattern = (source: string, flags: string): boolean => {
  try {
    return new RegExp(source, flags) instanceof RegExp;
  } catch {
    return false; // the message names the field; the pattern's own error is for its author
  }
};

/**
 * A regular expression: each problem's own, or one that extracts from every answer the part compared with
 * the reference.
 */
export const pattern = defineMatch({
  id: 'match/pattern',
  title: 'A regular expression',
  summary:
    'Right where the reference, a regular expression, matches the answer; or where what one pattern for ' +
    'all finds in the answer is the reference.',
  params,
  reads: (
    reference,
    { pattern: finder, flags },
  ): { readonly guarded: GuardedPattern; readonly expected: string | null } => ({
    guarded: guardedPattern(finder === '' ? reference : finder, flags),
    expected: finder === '' ? null : reference.trim(),
  }),
  judge: each(
    ({ guarded, expected }: { guarded: GuardedPattern; expected: string | null }, answer, _row, chosen) => {
      const part = partOf(answer, chosen);
      const found = part === null ? null : guarded.exec(part);
      return found !== null && (expected === null || (found[1] ?? found[0]).trim() === expected);
    },
  ),
});
