import type { CandidateMode } from '../../schema/plan.ts';
import { leastOf, rewardsOf, type Pull } from './rule.ts';

/** What a person decided about a candidate while the arena ran; one that is added begins with a decision. */
export interface ArmDecision {
  /** The first pull for which it holds, from 0. */
  readonly at: number;
  readonly arm: number;
  readonly mode: CandidateMode;
}
export interface Standing {
  readonly mode: CandidateMode;
  /** The pull since which it holds. */
  readonly since: number;
}

/** The standing of each candidate at a pull; those of the file are free at first, later ones are not there. */
export function standings(
  arms: number,
  decisions: readonly ArmDecision[],
  at: number,
): ReadonlyMap<number, Standing> {
  const found = new Map<number, Standing>();
  for (let arm = 0; arm < arms; arm++) found.set(arm, { mode: 'free', since: 0 });
  for (const { at: since, arm, mode } of decisions) if (since <= at) found.set(arm, { mode, since });
  return found;
}

/**
 * The pinned candidate that is due: one that has had less than an equal share of the budgets since it was pinned, with
 * the next one counted; the furthest behind first.
 */
export function duePin(
  pulls: readonly Pull[],
  standing: ReadonlyMap<number, Standing>,
  among: readonly number[],
): number | undefined {
  const sinceOf = (arm: number): number => standing.get(arm)?.since ?? 0;
  const lead = (arm: number): number =>
    rewardsOf(pulls.slice(sinceOf(arm)), arm).length * among.length - (pulls.length - sinceOf(arm) + 1);
  const due = among.filter((arm) => standing.get(arm)?.mode === 'pinned' && lead(arm) < 0);
  return due.length === 0 ? undefined : leastOf(due, lead);
}
