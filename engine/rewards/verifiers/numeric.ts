import * as z from 'zod';
import { finalNumber, type NumberInText } from '../../answers/numbers.ts';
import { BadReference, defineMatch, each, shown } from './match.ts';

const params = z.strictObject({
  tolerance: z.number().min(0).default(1e-6).describe('How far the number may be from the reference.'),
  relative: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe('The same as a share of the reference, added to it.'),
});

/** Compares the final number of the answer with the reference's; both may end a worked text. */
export const numeric = defineMatch({
  id: 'match/numeric',
  title: 'The reference’s number',
  summary:
    'Right if the answer’s final number is the reference’s: the one in its last \\boxed{}, after ' +
    'its last ####, else its last one. Reads 1,234.5, −3, 3/4, 1e3, $5 and 50 %.',
  params,
  reads: (reference) => {
    const number = finalNumber(reference);
    if (!number) throw new BadReference(`has no number: ${shown(reference)}`);
    return number;
  },
  judge: each((expected: NumberInText, answer, _row, chosen) => {
    const number = finalNumber(answer);
    return number !== null && agree(number, expected, chosen);
  }),
});

/**
 * Compares numbers; `50%` equals both 50 and one half; integers too large for a float are compared by their
 * digits.
 */
const agree = (
  a: NumberInText,
  b: NumberInText,
  { tolerance, relative }: z.output<typeof params>,
): boolean => {
  if (
    [a, b].every(({ value }) => Number.isInteger(value) && !Number.isSafeInteger(value)) &&
    tolerance < 1 &&
    relative === 0
  )
    return a.digits === b.digits;
  const near = (x: number, y: number): boolean => Math.abs(x - y) <= tolerance + relative * Math.abs(y);
  if (near(a.value, b.value)) return true;
  return (
    a.percent !== b.percent && near(a.percent ? a.value / 100 : a.value, b.percent ? b.value / 100 : b.value)
  );
};
