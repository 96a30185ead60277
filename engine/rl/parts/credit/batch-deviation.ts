import { broadcast } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { centered, DEVIATION_EPSILON } from './center-by-group.ts';

/** Numbers whose deviation over the batch divides the advantages: rewards, or rewards minus group means. */
export type Spread = 'rewards' | 'advantages';

/** Population deviation of weighted numbers; 0 without weight. */
const weightedDeviation = (values_R: Float64Array, weight_R: Float64Array): number => {
  const count = weight_R.reduce((a, b) => a + b, 0);
  if (!(count > 0)) return 0;
  const mean = values_R.reduce((sum, value, r) => sum + weight_R[r] * value, 0) / count;
  return Math.sqrt(values_R.reduce((sum, value, r) => sum + weight_R[r] * (value - mean) ** 2, 0) / count);
};

/**
 * Advantage against the group's mean, over the deviation of the whole batch + 1e-6 (arXiv:2508.08221, Lite
 * PPO: of the rewards; arXiv:2510.13786: of the advantages). A group in which almost all rewards are equal
 * is not scaled up as by its own deviation. A group of equal rewards has advantage 0.
 */
export const centerOverBatch = ({ spread }: { readonly spread: Spread }) =>
  stage({
    id: `centerOverBatch(${spread})`,
    station: 'credit',
    needs: ['groupId', 'weight', 'mask', 'reward/total'],
    adds: ['advantage'],
    run: async ({ groupId, weight, mask, 'reward/total': rewards_R }) => {
      const own_R = centered(rewards_R, groupId, weight, 'none');
      const sd = weightedDeviation(spread === 'rewards' ? rewards_R : own_R, weight) + DEVIATION_EPSILON;
      return {
        columns: {
          advantage: broadcast(
            own_R.map((a) => a / sd),
            mask,
          ),
        },
      };
    },
  });
