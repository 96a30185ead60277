import type { Verdict } from '../../../engine/schema/preference.ts';
import type { PairShown } from '../../../preload/contract/labels.ts';

export type Side = 'left' | 'right';
/** A decision about the pair on the screen: the side with the better answer, or a verdict about both. */
export type Choice = Side | Exclude<Verdict, 'a' | 'b'>;
type Placed = Pick<PairShown, 'leftIs'>;

/** The answer shown on a side. */
export const answerOn = (side: Side, { leftIs }: Placed): 'a' | 'b' => {
  if (side === 'left') return leftIs;
  return leftIs === 'a' ? 'b' : 'a';
};

/** The verdict of a choice, given which answer is on the left. */
export const verdictOf = (choice: Choice, pair: Placed): Verdict =>
  choice === 'left' || choice === 'right' ? answerOn(choice, pair) : choice;

/** The choice that led to a verdict. */
export const choiceOf = (verdict: Verdict, { leftIs }: Placed): Choice => {
  if (verdict !== 'a' && verdict !== 'b') return verdict;
  return verdict === leftIs ? 'left' : 'right';
};
