import { maskedCounts } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';

/**
 * The reward along each answer's direction: cos θ · reward + sin θ · length, the length as a share of the
 * longest answer (the helpfulness and verbosity of arXiv:2402.18571).
 */
export const alongDirection = stage({
  id: 'alongDirection',
  station: 'scorers',
  needs: ['mask', 'reward/total', 'row/direction'],
  adds: ['reward/total'],
  run: async ({ mask, 'reward/total': rewards_R, 'row/direction': angles_R }, { text: { maxTokens } }) => {
    const lengths = maskedCounts(mask);
    return {
      columns: {
        'reward/total': rewards_R.map(
          (reward, r) => Math.cos(angles_R[r]) * reward + (Math.sin(angles_R[r]) * lengths[r]) / maxTokens,
        ),
      },
    };
  },
});
