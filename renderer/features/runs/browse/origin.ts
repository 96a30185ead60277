import type { AnswerOrigin } from '../../../../preload/contract/runs.ts';
import { count, plural } from '../../../lib/format.ts';

const placeOf = ({ step, sample, correct }: NonNullable<AnswerOrigin['from']>): string =>
  `sample ${count(sample + 1)} of step ${count(step)}` +
  (correct === null ? '' : correct ? ', which is right' : ', which is wrong');

/** Where an answer began: `Begins with 12 tokens of sample 3 of step 40, which is wrong.` */
export function originText({ parent, from, tokens }: AnswerOrigin): string {
  const of = parent === null ? 'another text' : from ? placeOf(from) : 'an answer that is not stored';
  return tokens === 0 ? `Revises ${of}.` : `Begins with ${plural(tokens, 'token')} of ${of}.`;
}
