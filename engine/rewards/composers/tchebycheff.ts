import * as z from 'zod';
import { WhetstoneError } from '../../common/errors.ts';
import { counting, defineComposer, refuseField } from './composer.ts';

/**
 * −max_k weight_k · (ideal_k − value_k) − ρ Σ_k weight_k · (ideal_k − value_k): the augmented weighted
 * Tchebycheff scalarization of decomposition methods (MORL/D, arXiv:2311.12495). Runs with different weights
 * reach points of the Pareto front that no weighted sum reaches, where the front is not convex.
 */
export const tchebycheff = defineComposer({
  id: 'tchebycheff',
  title: 'Distance to the ideal',
  summary:
    'The largest weighted distance of a scorer to its ideal value, negated: one run for each weighting ' +
    'traces a Pareto front, concave parts included.',
  cites: 'arXiv:2311.12495',
  params: z.strictObject({
    ideal: z
      .array(z.number())
      .max(32)
      .default([])
      .describe('Ideal value of each scorer of a weight, in order; if empty, 1 each.'),
    augment: z.number().min(0).max(1).default(0.05).describe('Weight ρ of the sum, which breaks ties.'),
  }),
  open: ({ ideal, augment }, components) => {
    const all = counting(components);
    if (ideal.length > 0 && ideal.length !== all.length)
      refuseField('ideal', `There are ${ideal.length} ideal values for ${all.length} scorers of a weight.`);
    const negative = all.find(({ weight }) => weight < 0);
    if (negative)
      throw new WhetstoneError('invalid-input', 'Weights of distances are not negative.', {
        where: `${negative.where}.weight`,
        hint: 'For a scorer to be kept low, use one that measures the opposite.',
      });
    return ({ values, rows }) => ({
      total: Float64Array.from({ length: rows }, (_, r) => {
        const distances = all.map(({ name, weight }, k) => weight * ((ideal[k] ?? 1) - values[name][r]));
        return -Math.max(...distances) - augment * distances.reduce((sum, each) => sum + each, 0);
      }),
    });
  },
});
