import { broadcast, maskedSums } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { centered } from './center-by-group.ts';
import { againstOthers } from './leave-one-out.ts';

/**
 * Baseline of an answer among all answers of the batch: their mean, the mean of the others (unbiased), or 0.
 */
export type Baseline = 'mean' | 'others' | 'none';

/** Each answer's reward minus a baseline, the same on each of its tokens (Williams 1992). */
export const againstBatch = ({ baseline }: { readonly baseline: Baseline }) =>
  stage({
    id: `againstBatch(${baseline})`,
    station: 'credit',
    needs: ['weight', 'mask', 'credit/rewards'],
    adds: ['advantage'],
    run: async ({ weight, mask, 'credit/rewards': rewards }) => {
      const earned_R = maskedSums(rewards, mask);
      const batch_R = new Float64Array(earned_R.length);
      const credits: { readonly [B in Baseline]: () => Float64Array } = {
        mean: () => centered(earned_R, batch_R, weight, 'none'),
        others: () => againstOthers(earned_R, batch_R, weight),
        none: () => earned_R,
      };
      return { columns: { advantage: broadcast(credits[baseline](), mask) } };
    },
  });
