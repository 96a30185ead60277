import { expect, it } from 'vitest';
import { answersShown, choiceOf, verdictOf } from '../../main/store/labels/label-items.ts';

const row = (leftIs: 'a' | 'b') => ({
  a: 'stored first',
  b: 'stored second',
  left_is: leftIs,
  answers: null,
});

it.each([
  ['left', 'a', 'a'],
  ['right', 'a', 'b'],
  ['left', 'b', 'b'],
  ['right', 'b', 'a'],
] as const)(
  'choosing the %s side with answer %s on the left means: %s is better',
  (choice, leftIs, verdict) => {
    expect(verdictOf(choice, row(leftIs))).toBe(verdict);
    expect(choiceOf(verdict, row(leftIs))).toBe(choice);
    const stored = verdict === 'a' ? 'stored first' : 'stored second';
    expect(answersShown(row(leftIs))[choice === 'left' ? 0 : 1]).toBe(stored);
  },
);

it.each(['tie', 'both-bad', 'skip'] as const)('%s does not depend on the side', (verdict) => {
  for (const leftIs of ['a', 'b'] as const) {
    expect(verdictOf(verdict, row(leftIs))).toBe(verdict);
    expect(choiceOf(verdict, row(leftIs))).toBe(verdict);
  }
});
