/** Prompts that the initial model solves, which are rehearsed instead of explored. */
import { stage } from '../../kernel/stage.ts';
import { groupsOf } from '../math/groups.ts';

/** Rewards from here on are of right answers, where rewards are between 0 and 1. */
const RIGHT = 0.5;

/** Keeps the groups of which at least `share` are right answers (reward at least one half). */
export const keepSolved = ({ share }: { readonly share: number }) =>
  stage({
    id: `keepSolved(${share})`,
    station: 'selection',
    needs: ['groupId', 'reward/total'],
    adds: [],
    run: async ({ groupId, 'reward/total': rewards_R }) => ({
      columns: {},
      from_R: Uint32Array.from(
        groupsOf(groupId)
          .filter((rows) => rows.filter((r) => rewards_R[r] >= RIGHT).length >= share * rows.length)
          .flat()
          .sort((a, b) => a - b),
      ),
    }),
  });

/** Drops prompts of which a buffer has rows; keeps the first prompt if it has rows of all of them. */
export const skipStored = <const B extends string>({ from }: { readonly from: B }) =>
  stage({
    id: `skipStored(${from})`,
    station: 'selection',
    needs: ['promptId', `buffer/${from}/promptId`],
    adds: [],
    run: async (inputs) => {
      const { promptId, ...ports } = inputs as { readonly promptId: Float64Array } & Record<
        string,
        Float64Array | undefined
      >;
      const stored = new Set(ports[`buffer/${from}/promptId`]);
      const left = [...promptId.keys()].filter((p) => !stored.has(promptId[p]));
      return {
        columns: {},
        from_R: Uint32Array.from(left.length > 0 ? left : [...promptId.keys()].slice(0, 1)),
      };
    },
  });
