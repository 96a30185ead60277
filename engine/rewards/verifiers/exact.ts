import { z } from 'zod';
import { defineMatch, each, partFields, partOf } from './match.ts';

/** Letter for letter, but for blanks at both ends. */
export const exact = defineMatch({
  id: 'match/exact',
  title: 'Exactly the reference',
  summary: 'Right where the answer is the reference, letter for letter; blanks around it do not count.',
  params: z.strictObject({ ...partFields }),
  reads: (reference) => reference.trim(),
  judge: each((expected: string, answer, _row, params) => partOf(answer, params) === expected),
});
