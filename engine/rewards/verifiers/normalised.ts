import * as z from 'zod';
import { normalised as normalise } from '../../answers/choices.ts';
import { BadReference, defineMatch, each, partFields, partOf, shown } from './match.ts';

/**
 * The usual comparison of short answers in question answering (SQuAD: ignores case, punctuation, articles
 * and spaces).
 */
export const normalised = defineMatch({
  id: 'match/normalised',
  title: 'The same words as the reference',
  summary:
    'Right where answer and reference have the same words: case, punctuation, articles (a, an, the) and ' +
    'spaces do not count.',
  params: z.strictObject({ ...partFields }),
  reads: (reference) => {
    const words = normalise(reference);
    if (words === '') throw new BadReference(`has no words but articles: ${shown(reference)}`);
    return words;
  },
  judge: each((expected: string, answer, _row, params) => {
    const part = partOf(answer, params);
    return part !== null && normalise(part) === expected;
  }),
});
