import type { TriedProblem } from './tried.ts';

/** The answers that a rule sees of a problem, and its settings. */
export interface RuleView {
  readonly problem: TriedProblem;
  /** Number of answers that it picks from. */
  readonly n: number;
  /** The scorer of the line, for a rule that has one line per scorer. */
  readonly scorer: string;
  /** True if the scorer gives negative scores to some answer of the search. */
  readonly isSigned: boolean;
  /** Subsets of n answers, the same for every rule: all of them, or a seeded part. */
  readonly subsets: readonly (readonly number[])[];
  /** Power of the votes by rank. */
  readonly rankPower: number;
}

/** A rule that picks one of n answers, or a winner of their votes. */
export interface SearchRule {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly cites: string;
  /** `each scorer`: one line per scorer of the run, and per confidence of the policy. */
  readonly by: 'nothing' | 'each scorer';
  /** True if it shifts the policy as far as best-of-n, whose KL to the policy is known. */
  readonly isBestOfN?: boolean;
  /** Chance that its pick is right, over subsets of n of the problem's answers. */
  accuracy(view: RuleView): number;
}

/** Mean over the subsets of a view. */
export const overSubsets = (
  { subsets }: Pick<RuleView, 'subsets'>,
  chance: (places: readonly number[]) => number,
): number => subsets.reduce((sum, places) => sum + chance(places), 0) / subsets.length;
