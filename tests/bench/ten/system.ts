import type { SideRuns, Spent, Trial } from '../effects/effect.ts';

/** One claim: a number of a method's runs against that of a baseline's, in the same plan. */
export interface Claim {
  readonly claim: string;
  /** What the ids of the nodes of each side begin with. */
  readonly method: string;
  readonly baseline: string;
  /** The number, and the claimed direction of the difference. */
  readonly measure: string;
  readonly better: 'lower' | 'higher';
  /** `all` gives the runs of other sides, such as an oracle’s. */
  readonly number: (runs: SideRuns, all: (side: string) => SideRuns) => Promise<number>;
  /** The training budget of a side; that of all its runs if absent. */
  readonly spent?: (runs: SideRuns, all: (side: string) => SideRuns) => Promise<Spent>;
  /** What qualifies the number: why an effect does not show, what was chosen after both sides had been seen. */
  readonly note?: string;
}

/** A system with the experiment that shows its claims: one plan for each seed, whose sides are compared. */
export interface TenSystem extends Trial {
  readonly id: string;
  /** The id of the system in `engine/systems`, if it is another. */
  readonly system?: string;
  readonly cites: string;
  /** A smaller plan for a quick check, in which steps and problems are capped as well. */
  readonly quickPlan?: Trial['plan'];
  /** Steps of a run in a quick check, 2 by default: as many as its plan needs to reach its end. */
  readonly quickSteps?: number;
  readonly claims: readonly Claim[];
}
