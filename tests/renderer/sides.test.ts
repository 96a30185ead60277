import { expect, it } from 'vitest';
import { answerOn, choiceOf, verdictOf } from '../../renderer/features/labeling/sides.ts';

it.each([
  ['left', 'a', 'a'],
  ['right', 'a', 'b'],
  ['left', 'b', 'b'],
  ['right', 'b', 'a'],
] as const)(
  'choosing the %s side with answer %s on the left means: %s is better',
  (choice, leftIs, verdict) => {
    expect(answerOn(choice, { leftIs })).toBe(verdict);
    expect(verdictOf(choice, { leftIs })).toBe(verdict);
    expect(choiceOf(verdict, { leftIs })).toBe(choice);
  },
);

it.each(['tie', 'both-bad', 'skip'] as const)('%s does not depend on the side', (verdict) => {
  for (const leftIs of ['a', 'b'] as const) {
    expect(verdictOf(verdict, { leftIs })).toBe(verdict);
    expect(choiceOf(verdict, { leftIs })).toBe(verdict);
  }
});
