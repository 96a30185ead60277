import { inCaseOf, type Probe } from './probe.ts';

const NEGATION = /\b(is|are|was|were|can|could|should|would|will|must|does|do|did|has|have) (not|never)\b/iu;
const POSITIVE = /\b(is|are|was|were|can|could|should|would|will|must)\b(?! not\b| never\b|n['’]t)/iu;
const YES_OR_NO = /^(\s*)(yes|no)\b/iu;

export const negated: Probe = {
  id: 'negated',
  title: 'Negated',
  summary: 'Says the opposite: yes for no, or its first verb with "not" added or removed.',
  expects: 'lower',
  edit: ({ completion }) => {
    if (YES_OR_NO.test(completion))
      return completion.replace(
        YES_OR_NO,
        (_all, space: string, word: string) =>
          space + inCaseOf(word, word.toLowerCase() === 'yes' ? 'no' : 'yes'),
      );
    if (NEGATION.test(completion)) return completion.replace(NEGATION, '$1');
    return POSITIVE.test(completion) ? completion.replace(POSITIVE, '$1 not') : null;
  },
};
