/** Makes pairs from sampled answers by their rewards, and selects pairs. */
import { stage } from '../../kernel/stage.ts';
import { groupsOf } from '../math/groups.ts';

/** Drops tied pairs. */
export const dropTies = stage({
  id: 'dropTies',
  station: 'selection',
  needs: ['agreement'],
  adds: [],
  run: async ({ agreement }) => ({
    columns: {},
    from_R: Uint32Array.from([...agreement.keys()].filter((r) => agreement[r] !== 0.5)),
  }),
});

/**
 * From each group the answer with the highest reward, then the one with the lowest; drops groups whose
 * rewards are all equal.
 */
export const bestAgainstWorst = stage({
  id: 'bestAgainstWorst',
  station: 'selection',
  needs: ['groupId', 'reward/total'],
  adds: [],
  run: async ({ groupId, 'reward/total': rewards_R }) => ({
    columns: {},
    from_R: Uint32Array.from(
      groupsOf(groupId).flatMap((rows) => {
        const [best, worst] = [1, -1].map((sign) =>
          rows.reduce((found, r) => (sign * (rewards_R[r] - rewards_R[found]) > 0 ? r : found)),
        );
        return rewards_R[best] > rewards_R[worst] ? [best, worst] : [];
      }),
    ),
  }),
});

/** Orders each pair of rows by reward, higher first. */
export const betterFirst = stage({
  id: 'betterFirst',
  station: 'selection',
  needs: ['reward/total'],
  adds: [],
  run: async ({ 'reward/total': rewards_R }) => ({
    columns: {},
    from_R: rewards_R.reduce((order, reward, r) => {
      order[r] = (r % 2 === 0 ? rewards_R[r + 1] > reward : reward > rewards_R[r - 1]) ? r ^ 1 : r;
      return order;
    }, new Uint32Array(rewards_R.length)),
  }),
});

/** Turns rows in twos into pairs, the better one first; pairs with equal rewards have weight 0. */
export const asPairs = stage({
  id: 'asPairs',
  station: 'selection',
  needs: ['reward/total', 'weight'],
  adds: ['pairId', 'chosen', 'agreement', 'weight'],
  run: async ({ 'reward/total': rewards_R, weight }) => {
    const decided = (r: number) => rewards_R[r & ~1] > rewards_R[r | 1];
    return {
      columns: {
        pairId: rewards_R.map((_, r) => r >> 1),
        chosen: rewards_R.map((_, r) => 1 - (r & 1)),
        agreement: rewards_R.map((_, r) => (decided(r) ? 1 : 0.5)),
        weight: weight.map((w, r) => (decided(r) ? w : 0)),
      },
    };
  },
});

/**
 * Winner and loser of each match between neighbours; a tie makes no pair, and the first one advances.
 * `tournament`: winners meet until one is left.
 */
export const matches = (
  rewards: ArrayLike<number>,
  ranking: 'first-round' | 'tournament',
): (readonly [number, number])[] => {
  const pairs: (readonly [number, number])[] = [];
  for (let round = Array.from(rewards, (_, i) => i); round.length > 1;) {
    const winners: number[] = [];
    for (let at = 0; at < round.length; at += 2) {
      const [one, other] = [round[at], round[at + 1] ?? round[at]];
      const [better, worse] = rewards[other] > rewards[one] ? [other, one] : [one, other];
      if (rewards[better] > rewards[worse]) pairs.push([better, worse]);
      winners.push(better);
    }
    if (ranking === 'first-round') break;
    round = winners;
  }
  return pairs;
};

/** Pairs of each group by matches; a row may be in several. */
export const rankedPairs = ({ ranking }: { readonly ranking: 'first-round' | 'tournament' }) =>
  stage({
    id: `rankedPairs(${ranking})`,
    station: 'selection',
    needs: ['groupId', 'reward/total'],
    adds: [],
    run: async ({ groupId, 'reward/total': rewards_R }) => ({
      columns: {},
      from_R: Uint32Array.from(
        groupsOf(groupId).flatMap((rows) =>
          matches(
            rows.map((r) => rewards_R[r]),
            ranking,
          ).flatMap((match) => match.map((i) => rows[i])),
        ),
      ),
    }),
  });
