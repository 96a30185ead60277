import { stage } from '../../kernel/stage.ts';

/**
 * A bonus that knows the start state: +`bonus` for a right answer behind a bad beginning, −`damage` for a
 * wrong one behind a good beginning, 0 otherwise (arXiv:2502.02508, section 4.2, the reflection bonus, where
 * both are β). Right is a reward above `threshold`. It is earned at the last token.
 */
export const restartBonus = ({
  bonus,
  damage,
  threshold,
}: {
  readonly bonus: number;
  readonly damage: number;
  readonly threshold: number;
}) =>
  stage({
    id: `restartBonus(${bonus}, ${damage}, ${threshold})`,
    station: 'scorers',
    needs: ['mask', 'reward/total', 'credit/earned', 'row/start'],
    adds: ['reward/total', 'credit/earned'],
    run: async ({ mask, 'reward/total': rewards_R, 'credit/earned': earned, 'row/start': start }) => {
      const bonus_R = rewards_R.map((reward, r) => {
        const isRight = reward > threshold;
        if (start[r] < 0) return isRight ? bonus : 0;
        return start[r] > 0 && !isRight ? -damage : 0;
      });
      const values = earned.values.slice();
      bonus_R.forEach((added, r) => {
        const last = mask.values.subarray(mask.offsets[r], mask.offsets[r + 1]).lastIndexOf(1);
        if (last >= 0) values[mask.offsets[r] + last] += added;
      });
      return {
        columns: {
          'reward/total': rewards_R.map((reward, r) => reward + bonus_R[r]),
          'credit/earned': { ...earned, values },
        },
      };
    },
  });
