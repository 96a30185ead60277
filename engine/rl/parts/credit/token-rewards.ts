import { stage } from '../../kernel/stage.ts';
import { answerPlaces } from '../math/places.ts';

/**
 * Reward of each token: its share of the answer's reward (all on the last token unless a scorer splits it),
 * plus −weight·(log π − log π_ref) at sampling time (arXiv:1909.08593, eq. 2), so that the divergence is
 * part of the return instead of the loss. Weight 0 needs no reference.
 */
export const tokenRewards = ({ klWeight }: { readonly klWeight: number }) => {
  const full = stage({
    id: `tokenRewards(${klWeight})`,
    station: 'credit',
    needs: ['mask', 'credit/earned', 'behaviorLogp', 'logp/initial'],
    adds: ['credit/rewards'],
    run: async ({ mask, behaviorLogp, 'credit/earned': earned, ...rest }) => {
      const values = earned.values.slice();
      if (klWeight > 0)
        mask.values.forEach((m, at) => {
          if (m) values[at] -= klWeight * (behaviorLogp.values[at] - rest['logp/initial'].values[at]);
        });
      return { columns: { 'credit/rewards': { axis: 'T', values, offsets: mask.offsets } } };
    },
  });
  return klWeight > 0 ? full : { ...full, needs: full.needs.filter((need) => need !== 'logp/initial') };
};

/** Credits each token with the return from it on: Σ_{k ≥ t} r_k. */
export const returnsToGo = stage({
  id: 'returnsToGo',
  station: 'credit',
  needs: ['mask', 'credit/rewards'],
  adds: ['advantage'],
  run: async ({ mask, 'credit/rewards': rewards }) => {
    const values = new Float64Array(mask.values.length);
    for (const places of answerPlaces(mask))
      places.reduceRight((later, at) => (values[at] = later + rewards.values[at]), 0);
    return { columns: { advantage: { axis: 'T', values, offsets: mask.offsets } } };
  },
});
