import { defineProbe } from './probe.ts';

/**
 * Share of groups that would be flat if all answers of the batch were equally likely to get each of its
 * rewards: the mean of Σ_v p_v^G over the groups, which is p^G + (1 − p)^G for rewards of 0 or 1. A larger
 * observed share (`frac_reward_zero_std`) says that prompts differ in difficulty.
 */
export const expectedFlat = defineProbe({
  id: 'expected-flat',
  needs: ['groupId', 'reward/total'],
  measure: ({ groupId, 'reward/total': rewards_R }) => {
    const rows = rewards_R.length;
    const counts = new Map<number, number>();
    for (const reward of rewards_R) counts.set(reward, (counts.get(reward) ?? 0) + 1);
    const sizes = new Map<number, number>();
    for (const group of groupId) sizes.set(group, (sizes.get(group) ?? 0) + 1);
    const groupsBySize = new Map<number, number>();
    for (const size of sizes.values()) groupsBySize.set(size, (groupsBySize.get(size) ?? 0) + 1);
    let expected = 0;
    for (const [size, groups] of groupsBySize) {
      let flat = 0;
      for (const count of counts.values()) flat += (count / rows) ** size;
      expected += (groups / sizes.size) * flat;
    }
    return { 'frac_reward_zero_std/expected': expected };
  },
});
