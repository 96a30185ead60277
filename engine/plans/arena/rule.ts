/** The interface of rules that hand out the next budget among candidates by their evaluations. */

/** A budget that was given: to which candidate, and its evaluation after it, 0–1. */
export interface Pull {
  readonly arm: number;
  readonly reward: number;
  /** Candidates that could have been chosen; all that can be now, if absent. */
  readonly among?: readonly number[];
  /** True if a person's pin chose it, not the rule. */
  readonly isPinned?: boolean;
}

export interface RuleParams {
  /** D3RB: weight of the confidence width; 0 takes evaluations as exact. */
  readonly confidence: number;
  /** D3RB: the regret coefficient that every candidate begins with, d_min; 1 if absent. */
  readonly regret?: number;
  /** Exp3: share of uniform exploration, γ. */
  readonly explore: number;
  /** Explore, then commit: budgets that every candidate gets first; 1 if absent. */
  readonly trials?: number;
  /** Successive halving: one in eta goes on. */
  readonly eta: number;
  readonly seed: number;
}

export interface ArenaRule {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  /** Which of these candidates gets the next budget, by numbers from 0; it depends on the earlier pulls alone. */
  pick(pulls: readonly Pull[], among: readonly number[], params: RuleParams): number;
}

/** The rewards of a candidate, in order. */
export const rewardsOf = (pulls: readonly Pull[], arm: number): readonly number[] =>
  pulls.flatMap((pull) => (pull.arm === arm ? [pull.reward] : []));

/** The one with the least value, the first of equal ones. */
export const leastOf = (among: readonly number[], value: (arm: number) => number): number =>
  among.reduce((best, arm) => (value(arm) < value(best) ? arm : best));
