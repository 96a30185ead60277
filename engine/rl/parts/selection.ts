import { stage } from '../kernel/stage.ts';

/**
 * Leaves out groups whose rewards are all equal: they hold no comparison. Where all are, no row is left, and
 * the batch changes nothing.
 */
export const dropFlatGroups = stage({
  id: 'dropFlatGroups',
  needs: ['groupId', 'reward/total'],
  adds: [],
  run: async ({ groupId, 'reward/total': rewards_R }) => {
    const first = new Map<number, number>();
    const varied = new Set<number>();
    groupId.forEach((group, r) => {
      const reward = first.get(group);
      if (reward === undefined) first.set(group, rewards_R[r]);
      else if (reward !== rewards_R[r]) varied.add(group);
    });
    return {
      columns: {},
      from_R: Uint32Array.from([...groupId.keys()].filter((r) => varied.has(groupId[r]))),
    };
  },
});

/** Leaves out pairs that were judged equal. */
export const dropTies = stage({
  id: 'dropTies',
  needs: ['agreement'],
  adds: [],
  run: async ({ agreement }) => ({
    columns: {},
    from_R: Uint32Array.from([...agreement.keys()].filter((r) => agreement[r] !== 0.5)),
  }),
});
