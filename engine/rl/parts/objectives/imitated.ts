import { neg } from '../../../tensor/index.ts';
import { objective } from '../../kernel/objective.ts';
import { type Average, averagingWeights } from '../math/averages.ts';
import { weightedSum } from '../math/expressions.ts';
import { correctness } from '../credit/accuracy.ts';

/**
 * REINFORCE with the reward as it is, clipped to 0–1, on the rows that were sampled at another temperature
 * (`row/fresh` 0): −E[r·log π], so that right answers are imitated (arXiv:2510.08141).
 */
export const temperedReinforce = ({ average = 'token' }: { readonly average?: Average } = {}) =>
  objective({
    id: `temperedReinforce(${average})`,
    needs: ['tokens', 'mask', 'row/fresh', 'reward/total'],
    prepare: ({ mask, 'row/fresh': fresh, 'reward/total': rewards_R }, limits) => {
      const { values, ...rows } = averagingWeights(
        mask,
        fresh.map((f) => 1 - f),
        average,
        limits,
      );
      const right = correctness(rewards_R);
      for (let r = 0; r < right.length; r++)
        for (let at = mask.offsets[r]; at < mask.offsets[r + 1]; at++) values[at] *= right[r];
      return { weights: { ...rows, values } };
    },
    loss: ({ tokens, weights }, learner) => ({ loss: neg(weightedSum(weights, learner.logp(tokens))) }),
  });
