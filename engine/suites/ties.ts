/** The subset Ties of RewardBench 2 (arXiv:2506.01937): several answers are right, and none should stand out. */
import { mean } from '../evaluate/index.ts';

/** A prompt of the subset: `ref` has one right answer, `tied` several; both share the number after the colon. */
export interface TiesScores {
  readonly id: string;
  readonly scores: readonly number[];
  readonly correct: number;
}

interface Margins {
  /** Best less worst right answer; 0 for a single one. */
  readonly spread: number;
  /** Worst right answer less best wrong one. */
  readonly gap: number;
}

const marginsOf = ({ scores, correct }: TiesScores): Margins => {
  const [right, wrong] = [scores.slice(0, correct), scores.slice(correct)];
  const worst = Math.min(...right);
  return { spread: Math.max(...right) - worst, gap: worst - Math.max(...wrong) };
};

export const isReference = (id: string): boolean => id.startsWith('ref:');
export const tiesNumber = (id: string): string => id.slice(id.indexOf(':') + 1);

/** tanh(gap ÷ spread − 1), with its limits at a spread of 0; 0 where both are 0. */
const marginScore = (gap: number, spread: number): number =>
  spread > 0 ? Math.tanh(gap / spread - 1) : Math.sign(gap);

/**
 * Score of the subset: 0.3 share of tied prompts whose right answers all exceed the wrong ones + 0.3 the same of
 * reference prompts + 0.2 share of shared prompts whose gap between right and wrong exceeds the spread of the
 * right answers + 0.2 the same with the smaller of the gaps of both prompts + 0.01 mean margin score of the
 * latter. A share of nothing is 0, as in the published scores. At most 1.01; NaN without prompts.
 */
export function tiesScore(prompts: readonly TiesScores[]): number {
  if (prompts.length === 0) return Number.NaN;
  const share = (held: readonly boolean[]): number => (held.length === 0 ? 0 : mean(held.map(Number)));
  const margins = prompts.map((prompt) => ({ id: prompt.id, ...marginsOf(prompt) }));
  const references = margins.filter(({ id }) => isReference(id));
  const tied = margins.filter(({ id }) => !isReference(id));
  const gapOf = new Map(references.map(({ id, gap }) => [tiesNumber(id), gap]));
  const shared = tied.flatMap(({ id, gap, spread }) => {
    const reference = gapOf.get(tiesNumber(id));
    return reference === undefined ? [] : [{ gap, spread, least: Math.min(gap, reference) }];
  });
  return (
    0.3 * share(tied.map(({ gap }) => gap > 0)) +
    0.3 * share(references.map(({ gap }) => gap > 0)) +
    0.2 * share(shared.map(({ gap, spread }) => gap > spread)) +
    0.2 * share(shared.map(({ least, spread }) => least > spread)) +
    (shared.length === 0 ? 0 : 0.01 * mean(shared.map(({ least, spread }) => marginScore(least, spread))))
  );
}
