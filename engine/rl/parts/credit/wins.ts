import { broadcast } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { type Deviation, centered } from './center-by-group.ts';

/** How one reward is preferred to another: deterministically, or with the logistic of their difference. */
export type Preference = 'sure' | 'logistic';

const preferred: { readonly [P in Preference]: (gap: number) => number } = {
  sure: (gap) => (gap > 0 ? 1 : gap < 0 ? 0 : 0.5),
  logistic: (gap) => 1 / (1 + Math.exp(-gap)),
};

/**
 * For each row, the mean probability that it is preferred to the other rows of its group; ½ in a group of
 * one.
 */
export const winRates = (
  rewards_R: Float64Array,
  groupId_R: Float64Array,
  preference: Preference,
): Float64Array => {
  const groups = Map.groupBy(groupId_R.keys(), (r) => groupId_R[r]);
  return rewards_R.map((own, r) => {
    const others = (groups.get(groupId_R[r]) ?? []).filter((other) => other !== r);
    return others.length === 0
      ? 0.5
      : others.reduce((sum, other) => sum + preferred[preference](own - rewards_R[other]), 0) / others.length;
  });
};

/**
 * Self-play credit: an answer earns its win rate against the others, centred by group (arXiv:2401.04056,
 * algorithm 1).
 */
export const creditByWins = ({
  scaleBy,
  preference,
}: {
  readonly scaleBy: Deviation;
  readonly preference: Preference;
}) =>
  stage({
    id: `creditByWins(${scaleBy}, ${preference})`,
    station: 'credit',
    needs: ['groupId', 'weight', 'mask', 'reward/total'],
    adds: ['advantage'],
    run: async ({ groupId, weight, mask, 'reward/total': rewards_R }) => ({
      columns: {
        advantage: broadcast(
          centered(winRates(rewards_R, groupId, preference), groupId, weight, scaleBy),
          mask,
        ),
      },
    }),
  });
