/** Which of the sampled answers are worth imitating. */
import { stage } from '../kernel/stage.ts';

/** Rows of each group, in the order of their rewards, highest first; of equal ones the earlier first. */
const ranked = (groupId: Float64Array, rewards_R: Float64Array): number[][] => {
  const groups = new Map<number, number[]>();
  groupId.forEach((group, r) => {
    const rows = groups.get(group);
    if (rows) rows.push(r);
    else groups.set(group, [r]);
  });
  return [...groups.values()].map((rows) => rows.sort((a, b) => rewards_R[b] - rewards_R[a] || a - b));
};

/**
 * Keeps the best answer to each prompt, of equal ones the first: best of K as a filter (arXiv:2304.06767,
 * algorithm 1).
 */
export const keepBest = stage({
  id: 'keepBest',
  needs: ['groupId', 'reward/total'],
  adds: [],
  run: async ({ groupId, 'reward/total': rewards_R }) => ({
    columns: {},
    from_R: Uint32Array.from(
      ranked(groupId, rewards_R)
        .map(([best]) => best)
        .sort((a, b) => a - b),
    ),
  }),
});

/**
 * Keeps the answers whose reward is at least `threshold`, the best `most` of each prompt at most, so that
 * easy prompts do not crowd out hard ones (arXiv:2312.06585: reward 1, and at most ten answers a problem in
 * its experiments). May leave no row; such a batch changes nothing.
 */
export const keepAbove = ({ threshold, most }: { readonly threshold: number; readonly most: number }) =>
  stage({
    id: `keepAbove(${threshold}, ${most})`,
    needs: ['groupId', 'reward/total'],
    adds: [],
    run: async ({ groupId, 'reward/total': rewards_R }) => ({
      columns: {},
      from_R: Uint32Array.from(
        ranked(groupId, rewards_R)
          .flatMap((rows) => rows.filter((r) => rewards_R[r] >= threshold).slice(0, most))
          .sort((a, b) => a - b),
      ),
    }),
  });
