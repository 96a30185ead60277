import { stage } from '../../kernel/stage.ts';

/**
 * Takes the credit from the tokens that would lower the entropy most: the `share` of the batch's tokens with
 * the largest product of (log π − mean) and (advantage − mean), as in Clip-Cov (arXiv:2505.22617), which
 * SPEAR uses for replayed tokens as well (arXiv:2509.22601). 0 changes nothing.
 */
export const dropCovariant = ({ share }: { readonly share: number }) =>
  stage({
    id: `dropCovariant(${share})`,
    station: 'credit',
    needs: ['mask', 'behaviorLogp', 'advantage'],
    adds: ['advantage'],
    run: async ({ mask, behaviorLogp, advantage }) => {
      const places = [...mask.values.keys()].filter((at) => mask.values[at] === 1);
      const count = Math.floor(share * places.length);
      if (count === 0) return { columns: { advantage } };
      const meanOf = (values: ArrayLike<number>) =>
        places.reduce((sum, at) => sum + values[at], 0) / places.length;
      const [logp, credit] = [meanOf(behaviorLogp.values), meanOf(advantage.values)];
      const product = (at: number) => (behaviorLogp.values[at] - logp) * (advantage.values[at] - credit);
      const values = advantage.values.slice();
      for (const at of places.sort((a, b) => product(b) - product(a) || a - b).slice(0, count))
        values[at] = 0;
      return { columns: { advantage: { ...advantage, values } } };
    },
  });
