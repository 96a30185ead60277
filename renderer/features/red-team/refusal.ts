import { count } from '../../lib/format.ts';

/** Taught to a target whose own refusal is not known. */
export const PLAIN_REFUSAL = 'I can’t help with that.';

/** Most characters of a refusal. */
const LONGEST = 2000;

/** What is wrong with a refusal; empty if nothing is. */
export const refusalFault = (refusal: string): string => {
  if (refusal.trim() === '') return 'Write the refusal first.';
  return refusal.trim().length > LONGEST ? `The refusal has more than ${count(LONGEST)} characters.` : '';
};
