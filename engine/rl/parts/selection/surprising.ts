import { rowOf } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';

/**
 * Leaves credit to the `share` of answers, at least one, that exceed most what a critic expected of their prompt:
 * reward − σ(logit before the answer), the instruction-level advantage of DigiRL (arXiv:2406.11896, section
 * 4.2), so that tasks without news are left out. Advantages of the others are 0; they still train the critic.
 * The reward counts as clipped to 0–1; the first of equal ones is kept.
 */
export const onlySurprising = ({ share }: { readonly share: number }) =>
  stage({
    id: `onlySurprising(${share})`,
    station: 'selection',
    needs: ['mask', 'values', 'advantage', 'reward/total'],
    adds: ['advantage'],
    run: async ({ mask, values, advantage, 'reward/total': rewards_R }) => {
      const news = rewards_R.map((reward, r) => {
        const first = mask.offsets[r] + Math.max(0, rowOf(mask, r).indexOf(1));
        return Math.min(1, Math.max(0, reward)) - 1 / (1 + Math.exp(-values.values[first]));
      });
      const kept = new Set(
        [...news.keys()]
          .sort((a, b) => news[b] - news[a] || a - b)
          .slice(0, Math.max(1, Math.round(share * news.length))),
      );
      const own = advantage.values.slice();
      for (let r = 0; r < news.length; r++)
        if (!kept.has(r)) own.fill(0, mask.offsets[r], mask.offsets[r + 1]);
      return { columns: { advantage: { ...advantage, values: own } } };
    },
  });
