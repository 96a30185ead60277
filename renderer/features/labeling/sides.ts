import type { Verdict } from '../../../engine/schema/preference.ts';
import type { PairShown } from '../../../preload/contract/labels.ts';

export type Side = 'left' | 'right';
/** What a key says of the pair on the screen: a side where an answer is better, else the verdict itself. */
export type Choice = Side | Exclude<Verdict, 'a' | 'b'>;
type Placed = Pick<PairShown, 'leftIs'>;

/** The answer that stands on a side. */
export const answerOn = (side: Side, { leftIs }: Placed): 'a' | 'b' => {
  if (side === 'left') return leftIs;
  return leftIs === 'a' ? 'b' : 'a';
};

/** The verdict that a choice means for a pair whose sides stand so. */
export const verdictOf = (choice: Choice, pair: Placed): Verdict =>
  choice === 'left' || choice === 'right' ? answerOn(choice, pair) : choice;

/** The choice that led to a verdict. */
export const choiceOf = (verdict: Verdict, { leftIs }: Placed): Choice => {
  if (verdict !== 'a' && verdict !== 'b') return verdict;
  return verdict === leftIs ? 'left' : 'right';
};
