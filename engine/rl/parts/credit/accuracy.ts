import { stage } from '../../kernel/stage.ts';

/** Rewards as correctness: clipped to 0–1. */
export const correctness = (rewards_R: Float64Array): Float64Array =>
  rewards_R.map((reward) => Math.min(1, Math.max(0, reward)));

/**
 * Mean reward of each answer's group, rewards clipped to 0 (wrong) … 1 (right): the policy's success rate on
 * that prompt.
 */
export const groupAccuracy = stage({
  id: 'groupAccuracy',
  station: 'credit',
  needs: ['groupId', 'weight', 'reward/total'],
  adds: ['row/right', 'row/accuracy'],
  run: async ({ groupId, weight, 'reward/total': rewards_R }) => {
    const right = correctness(rewards_R);
    const sums = new Map<number, { weight: number; right: number }>();
    groupId.forEach((group, r) => {
      const sum = sums.get(group) ?? { weight: 0, right: 0 };
      sums.set(group, { weight: sum.weight + weight[r], right: sum.right + weight[r] * right[r] });
    });
    return {
      columns: {
        'row/right': right,
        'row/accuracy': Float64Array.from(groupId, (group) => {
          const sum = sums.get(group);
          return sum ? sum.right / sum.weight : 0;
        }),
      },
    };
  },
});
