import { splitSteps, stepRanges, type StepRange } from '../../../engine/common/answer-steps.ts';
import type { PairShown } from '../../../preload/contract/labels.ts';

/** A judgement of an answer, while it is made or complete; the first wrong step counts from 0. */
export interface Judgement {
  readonly correct: boolean;
  readonly firstWrong?: number;
  readonly steps: readonly StepRange[];
}

/** A key: a verdict, a movement among the steps, or the number of the first wrong step, from 1. */
export type JudgingKey = 'correct' | 'incorrect' | 'up' | 'down' | number;

export const judgementOf = (value: unknown): Judgement | undefined =>
  typeof value === 'object' && value !== null && 'correct' in value ? (value as Judgement) : undefined;

/** The steps of an item's answer: those of its dataset, or found in its text. */
export const stepsOf = ({ steps, answers }: Pick<PairShown, 'steps' | 'answers'>): readonly StepRange[] =>
  steps ?? stepRanges(splitSteps(answers[0]));

/** The step after a movement; a movement from none goes to the first or the last. */
const moved = (before: number | undefined, key: 'up' | 'down', count: number): number => {
  if (before === undefined) return key === 'down' ? 0 : count - 1;
  return Math.min(count - 1, Math.max(0, before + (key === 'down' ? 1 : -1)));
};

/**
 * The judgement after a key. `correct` and the number of a step decide at once; `incorrect` and movements
 * begin an incorrect judgement, which the next `incorrect` completes.
 */
export function judge(
  before: unknown,
  pair: Pick<PairShown, 'steps' | 'answers'>,
  key: JudgingKey,
): { readonly value: Judgement | undefined; readonly complete: boolean } {
  const steps = stepsOf(pair);
  const known = judgementOf(before);
  if (key === 'correct') return { value: { correct: true, steps }, complete: true };
  if (typeof key === 'number') {
    if (key > steps.length) return { value: known, complete: false };
    return { value: { correct: false, firstWrong: key - 1, steps }, complete: true };
  }
  const wrong: Judgement | undefined = known?.correct === false ? known : undefined;
  if (key === 'incorrect')
    return { value: wrong ?? { correct: false, steps }, complete: wrong !== undefined };
  return {
    value: { correct: false, firstWrong: moved(wrong?.firstWrong, key, steps.length), steps },
    complete: false,
  };
}
