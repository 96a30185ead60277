/** Priorities of replayed rows that are learned while the run goes on. */
import { stage } from '../../kernel/stage.ts';
import { promptValues } from './by-return.ts';

/**
 * Regularized optimal experience replay (ROER), with an answer as one action: the ratio of the wanted to the
 * stored distribution is exp(δ ⁄ β), δ = reward − V(prompt) by a critic of Gumbel regression. Each row's
 * priority moves to (rate·e + 1 − rate) × its old one, e the ratio over its mean in the batch, clipped to
 * [1 ⁄ bound, bound]; priorities stay within bound² of 1.
 */
export const optimalPriorities = ({
  beta,
  rate,
  bound,
}: {
  readonly beta: number;
  readonly rate: number;
  readonly bound: number;
}) =>
  stage({
    id: `optimalPriorities(${beta}, ${rate}, ${bound})`,
    station: 'selection',
    needs: ['tokens', 'mask', 'reward/total', 'row/priority', 'model/critic'],
    adds: ['row/priority'],
    run: async ({ tokens, mask, 'reward/total': reward, 'row/priority': old, 'model/critic': critic }) => {
      const worth_R = await promptValues(critic, tokens, mask);
      const delta_R = reward.map((r, at) => (r - worth_R[at]) / beta);
      const top = delta_R.reduce((a, b) => Math.max(a, b), -Infinity);
      const ratio_R = delta_R.map((d) => Math.exp(d - top));
      const mean = ratio_R.reduce((a, b) => a + b, 0) / Math.max(ratio_R.length, 1);
      const within = (value: number, most: number) => Math.min(Math.max(value, 1 / most), most);
      return {
        columns: {
          'row/priority': old.map((priority, r) =>
            within((rate * within(ratio_R[r] / mean, bound) + 1 - rate) * priority, bound ** 2),
          ),
        },
      };
    },
  });
