import { d3rb } from './d3rb.ts';
import { duePin, standings, type ArmDecision } from './decisions.ts';
import { exp3 } from './exp3.ts';
import { exploreThenCommit } from './explore-then-commit.ts';
import { halving } from './halving.ts';
import { evenly } from './uniform.ts';
import type { ArenaRule, Pull, RuleParams } from './rule.ts';

export { coefficients } from './d3rb.ts';
export { standings, type ArmDecision } from './decisions.ts';
export { probabilities } from './exp3.ts';

export const arenaRules: readonly ArenaRule[] = [d3rb, exp3, exploreThenCommit, halving, evenly];

/**
 * The candidate of each pull so far and of the next one: rewards (0–1, in the order of the pulls) and what was decided
 * determine them, so a resumed arena hands out the same budgets. `arms` candidates were there from the beginning.
 */
export function allocation(
  id: string,
  arms: number,
  rewards: readonly number[],
  params: RuleParams,
  decisions: readonly ArmDecision[] = [],
): readonly number[] {
  const rule = arenaRules.find((each) => each.id === id) ?? d3rb;
  const pulls: Pull[] = [];
  const next = (): Omit<Pull, 'reward'> => {
    const standing = standings(arms, decisions, pulls.length);
    const among = [...standing].flatMap(([arm, { mode }]) => (mode === 'paused' ? [] : [arm]));
    const pinned = duePin(pulls, standing, among);
    return { arm: pinned ?? rule.pick(pulls, among, params), among, isPinned: pinned !== undefined };
  };
  for (const reward of rewards) pulls.push({ ...next(), reward });
  return [...pulls.map(({ arm }) => arm), next().arm];
}
