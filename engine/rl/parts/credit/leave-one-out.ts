import { broadcast, maskedSums } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';

/**
 * Each answer against the mean of the others on its prompt: r_i − mean of r_j, j ≠ i (arXiv:2402.14740, the
 * RLOO estimator). A group of one gets 0.
 */
export const leaveOneOut = stage({
  id: 'leaveOneOut',
  station: 'credit',
  needs: ['groupId', 'weight', 'mask', 'credit/rewards'],
  adds: ['advantage'],
  run: async ({ groupId, weight, mask, 'credit/rewards': rewards }) => ({
    columns: { advantage: broadcast(againstOthers(maskedSums(rewards, mask), groupId, weight), mask) },
  }),
});

/** r_i − (Σ_j w_j·r_j − w_i·r_i) ⁄ (Σ_j w_j − w_i) within each group. */
export const againstOthers = (
  rewards_R: Float64Array,
  groupId_R: Float64Array,
  weight_R: Float64Array,
): Float64Array => {
  const sums = new Map<number, { weight: number; reward: number }>();
  groupId_R.forEach((group, r) => {
    const sum = sums.get(group) ?? { weight: 0, reward: 0 };
    sums.set(group, { weight: sum.weight + weight_R[r], reward: sum.reward + weight_R[r] * rewards_R[r] });
  });
  return rewards_R.map((reward, r) => {
    const { weight, reward: sum } = sums.get(groupId_R[r]) ?? { weight: 0, reward: 0 };
    const others = weight - weight_R[r];
    return others > 1e-12 ? reward - (sum - weight_R[r] * reward) / others : 0;
  });
};
