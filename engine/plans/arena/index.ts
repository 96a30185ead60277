import { d3rb } from './d3rb.ts';
import { exp3 } from './exp3.ts';
import { halving } from './halving.ts';
import { evenly } from './uniform.ts';
import type { ArenaRule, Pull, RuleParams } from './rule.ts';

export { coefficients } from './d3rb.ts';
export { probabilities } from './exp3.ts';

export const arenaRules: readonly ArenaRule[] = [d3rb, exp3, halving, evenly];

/**
 * The candidate of each pull so far and of the next one: rewards (0–1, in the order of the pulls) decide them, so a
 * resumed arena hands out the same budgets.
 */
export function allocation(
  id: string,
  arms: number,
  rewards: readonly number[],
  params: RuleParams,
): readonly number[] {
  const rule = arenaRules.find((each) => each.id === id) ?? d3rb;
  const pulls: Pull[] = [];
  for (const reward of rewards) pulls.push({ arm: rule.pick(pulls, arms, params), reward });
  return [...pulls.map(({ arm }) => arm), rule.pick(pulls, arms, params)];
}
