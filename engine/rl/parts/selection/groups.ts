/** Selects sampled answers to train on. */
import { stage } from '../../kernel/stage.ts';
import { ranked, varied } from '../math/groups.ts';

/**
 * Drops groups whose rewards are all equal: they give no comparison. If all are, no row is left, and the
 * batch changes nothing.
 */
export const dropFlatGroups = stage({
  id: 'dropFlatGroups',
  station: 'selection',
  needs: ['groupId', 'reward/total'],
  adds: [],
  run: async ({ groupId, 'reward/total': rewards_R }) => {
    const kept = varied(groupId, rewards_R);
    return { columns: {}, from_R: Uint32Array.from([...groupId.keys()].filter((r) => kept.has(groupId[r]))) };
  },
});

/**
 * Keeps the first groups whose rewards differ, as many as a batch has prompts. Without any, the batch trains
 * nothing.
 */
export const keepVaried = stage({
  id: 'keepVaried',
  station: 'selection',
  needs: ['groupId', 'reward/total'],
  adds: [],
  run: async ({ groupId, 'reward/total': rewards_R }, { batch }) => {
    const kept = new Set([...varied(groupId, rewards_R)].sort((a, b) => a - b).slice(0, batch));
    return { columns: {}, from_R: Uint32Array.from([...groupId.keys()].filter((r) => kept.has(groupId[r]))) };
  },
});

/**
 * Keeps the best answer to each prompt, the first in a tie: best of K as a filter (arXiv:2304.06767,
 * algorithm 1).
 */
export const keepBest = stage({
  id: 'keepBest',
  station: 'selection',
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
 * Keeps the answers whose reward is at least `threshold`, and at most the best `most` per prompt, so that
 * easy prompts do not crowd out hard ones (arXiv:2312.06585: reward 1, and at most ten answers per problem
 * in its experiments). May leave no row; such a batch changes nothing.
 */
export const keepAbove = ({
  threshold,
  maxPerPrompt,
}: {
  readonly threshold: number;
  readonly maxPerPrompt: number;
}) =>
  stage({
    id: `keepAbove(${threshold}, ${maxPerPrompt})`,
    station: 'selection',
    needs: ['groupId', 'reward/total'],
    adds: [],
    run: async ({ groupId, 'reward/total': rewards_R }) => ({
      columns: {},
      from_R: Uint32Array.from(
        ranked(groupId, rewards_R)
          .flatMap((rows) => rows.filter((r) => rewards_R[r] >= threshold).slice(0, maxPerPrompt))
          .sort((a, b) => a - b),
      ),
    }),
  });
