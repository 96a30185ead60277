import { rowOf } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';

/**
 * Among prefix tokens, only the `share` with the highest policy entropy keep credit: the policy would write
 * the others anyway (arXiv:2507.01679).
 */
export const onlyUncertainPrefix = ({ share }: { readonly share: number }) =>
  stage({
    id: `onlyUncertainPrefix(${share})`,
    station: 'credit',
    needs: ['tokens', 'mask', 'advantage', 'row/given', 'model/policy'],
    adds: ['advantage'],
    run: async ({ tokens, mask, advantage, 'row/given': shown, 'model/policy': policy }) => {
      const entropy = await policy.entropy(tokens);
      const values = advantage.values.slice();
      shown.forEach((count, r) => {
        const start = mask.offsets[r] + rowOf(mask, r).indexOf(1);
        const places = Array.from({ length: count }, (_, t) => start + t).sort(
          (a, b) => entropy.values[b] - entropy.values[a] || a - b,
        );
        for (const at of places.slice(Math.ceil(share * count))) values[at] = 0;
      });
      return { columns: { advantage: { ...advantage, values } } };
    },
  });
