import { WhetstoneError } from '../../../common/errors.ts';
import { broadcast } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { groupsOf } from '../math/groups.ts';

/** Divisor of a group's advantages: its deviation with n − 1, with n, or none. */
export type Deviation = 'sample' | 'population' | 'none';

/** Prevents division by zero in a group of equal rewards, whose advantages are 0 anyway. */
export const DEVIATION_EPSILON = 1e-6;

/**
 * Advantage of each row against its group: (r − mean) ÷ (sd + 1e-6), or r − mean. Rows are weighted. A group
 * of one has no deviation: with `sample` its advantage is 0.
 */
export const centered = (
  rewards_R: Float64Array,
  groupId_R: Float64Array,
  weight_R: Float64Array,
  sd: Deviation,
): Float64Array => {
  const advantages = new Float64Array(rewards_R.length);
  for (const rows of groupsOf(groupId_R)) {
    const count = rows.reduce((total, r) => total + weight_R[r], 0);
    if (!(count > 0)) throw new WhetstoneError('numeric', 'a group whose rows all have weight 0 has no mean');
    const mean = rows.reduce((total, r) => total + weight_R[r] * rewards_R[r], 0) / count;
    const squares = rows.reduce((total, r) => total + weight_R[r] * (rewards_R[r] - mean) ** 2, 0);
    // the squared deviations of equal rewards may be a rounding error away from 0
    const flat = rows.every((r) => rewards_R[r] === rewards_R[rows[0]]);
    const freedom = sd === 'sample' ? Math.max(count - 1, 1) : count;
    const divisor = sd === 'none' ? 1 : Math.sqrt(squares / freedom) + DEVIATION_EPSILON;
    for (const r of rows) advantages[r] = flat ? 0 : (rewards_R[r] - mean) / divisor;
  }
  return advantages;
};

/**
 * Compares each answer with the others of its group, with the same credit on every token of the answer
 * (arXiv:2402.03300, section 4.1.2: outcome supervision).
 */
export const centerByGroup = ({ scaleBy }: { readonly scaleBy: Deviation }) =>
  stage({
    id: `centerByGroup(${scaleBy})`,
    station: 'credit',
    needs: ['groupId', 'weight', 'mask', 'reward/total'],
    adds: ['advantage'],
    run: async ({ groupId, weight, mask, 'reward/total': rewards_R }) => ({
      columns: { advantage: broadcast(centered(rewards_R, groupId, weight, scaleBy), mask) },
    }),
  });
