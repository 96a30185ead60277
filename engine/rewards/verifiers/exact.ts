import * as z from 'zod';
import { defineMatch, each, partFields, partOf } from './match.ts';

/** Exact match, except for white space at both ends. */
export const exact = defineMatch({
  id: 'match/exact',
  title: 'Exactly the reference',
  summary: 'Right where the answer is the reference, letter for letter; blanks around it do not count.',
  params: z.strictObject({ ...partFields }),
  reads: (reference) => reference.trim(),
  judge: each((expected: string, answer, _row, params) => partOf(answer, params) === expected),
});
