import type { Probe } from './probe.ts';

const LAST_DIGITS = /\d+(?!.*\d)/s;

export const wrongNumber: Probe = {
  id: 'wrong-number',
  title: 'Wrong number',
  summary: 'Has 1 added to the last digits of the answer, which are its result where it calculates.',
  expects: 'lower',
  edit: ({ completion }) =>
    LAST_DIGITS.test(completion)
      ? completion.replace(LAST_DIGITS, (digits) => String(BigInt(digits) + 1n).padStart(digits.length, '0'))
      : null,
};
