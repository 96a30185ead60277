import { stage } from '../../kernel/stage.ts';

/**
 * Weighs answers so that right ones (reward from ½ up) and wrong ones count equally in a batch; the sum of the
 * weights stays the same. A judge of mostly wrong answers else learns first to call all of them wrong.
 */
export const balanceClasses = stage({
  id: 'balanceClasses',
  station: 'selection',
  needs: ['weight', 'reward/total'],
  adds: ['weight'],
  run: async ({ weight, 'reward/total': rewards_R }) => {
    const sums = [0, 0];
    const classOf = (r: number): number => Number(rewards_R[r] >= 0.5);
    weight.forEach((w, r) => {
      sums[classOf(r)] += w;
    });
    const all = sums[0] + sums[1];
    if (sums.some((sum) => sum === 0)) return { columns: { weight } };
    return { columns: { weight: weight.map((w, r) => (w * all) / (2 * sums[classOf(r)])) } };
  },
});
