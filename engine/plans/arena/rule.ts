/** The interface of rules that hand out the next budget among candidates by their evaluations. */

/** A budget that was given: to which candidate, and its evaluation after it, 0–1. */
export interface Pull {
  readonly arm: number;
  readonly reward: number;
}

export interface RuleParams {
  /** D3RB: weight of the confidence width; 0 takes evaluations as exact. */
  readonly confidence: number;
  /** D3RB: the regret coefficient that every candidate begins with, d_min; 1 if absent. */
  readonly regret?: number;
  /** Exp3: share of uniform exploration, γ. */
  readonly explore: number;
  /** Successive halving: one in eta goes on. */
  readonly eta: number;
  readonly seed: number;
}

export interface ArenaRule {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  /** The candidate that gets the next budget, from 0; it depends on the earlier ones alone. */
  pick(pulls: readonly Pull[], arms: number, params: RuleParams): number;
}

/** The rewards of each candidate, in order. */
export const rewardsOf = (pulls: readonly Pull[], arms: number): readonly (readonly number[])[] =>
  Array.from({ length: arms }, (_none, arm) =>
    pulls.flatMap((pull) => (pull.arm === arm ? [pull.reward] : [])),
  );
