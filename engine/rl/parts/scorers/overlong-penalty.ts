import { maskedCounts } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';

/**
 * Penalizes answers in the last `share` of the maximum length by up to 1, linearly: (L_max − L_cache −
 * |y|)/L_cache there, 0 before (arXiv:2503.14476, eq. 13). Runs after the selection of groups, which uses
 * the reward alone.
 */
export const overlongPenalty = ({ share }: { readonly share: number }) =>
  stage({
    id: `overlongPenalty(${share})`,
    station: 'scorers',
    needs: ['mask', 'reward/total'],
    adds: ['reward/total'],
    run: async ({ mask, 'reward/total': rewards_R }, { text: { maxTokens } }) => {
      const counts = maskedCounts(mask);
      const cache = share * maxTokens;
      return {
        columns: {
          'reward/total': rewards_R.map(
            (reward, r) =>
              reward + (cache > 0 ? Math.max(-1, Math.min(0, (maxTokens - cache - counts[r]) / cache)) : 0),
          ),
        },
      };
    },
  });
