import * as z from 'zod';
import { WhetstoneError } from '../../common/errors.ts';
import { counting, defineComposer } from './composer.ts';

/**
 * Π value^weight: one main reward times factors in 0–1 that stand for faults, as CaRL multiplies route
 * completion (arXiv:2504.17838). A value below 0 counts as 0, and 0 to any power is 0.
 */
export const product = defineComposer({
  id: 'product',
  title: 'Product',
  summary: 'Multiplies the scorers, each to the power of its weight: a total of 0 if one of them is 0.',
  cites: 'arXiv:2504.17838',
  params: z.strictObject({}),
  open: (_, components) => {
    const factors = counting(components);
    const negative = factors.find(({ weight }) => weight < 0);
    if (negative)
      throw new WhetstoneError('invalid-input', 'A product takes no negative weights: they are powers.', {
        where: `${negative.where}.weight`,
      });
    return ({ values, rows }) => {
      const total = new Float64Array(rows).fill(1);
      for (const { name, weight } of factors)
        values[name].forEach((value, r) => {
          total[r] *= Math.max(0, value) ** weight;
        });
      return { total };
    };
  },
});
