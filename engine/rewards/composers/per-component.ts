import * as z from 'zod';
import { counting, defineComposer, weightedSum } from './composer.ts';

/** Prevents division by zero; the same as in group advantages. */
const EPSILON = 1e-6;

/** Values centered in each group and divided by its deviation (n − 1); 0 in a group of equal values. */
const standardized = (
  values_R: Float64Array,
  groups: readonly (readonly number[])[],
  divides: boolean,
): Float64Array => {
  const found = new Float64Array(values_R.length);
  for (const rows of groups) {
    if (rows.every((r) => values_R[r] === values_R[rows[0]])) continue;
    const mean = rows.reduce((sum, r) => sum + values_R[r], 0) / rows.length;
    const squares = rows.reduce((sum, r) => sum + (values_R[r] - mean) ** 2, 0);
    const divisor = divides ? Math.sqrt(squares / (rows.length - 1)) + EPSILON : 1;
    for (const r of rows) found[r] = (values_R[r] - mean) / divisor;
  }
  return found;
};

/**
 * Σ weight · (value − group mean) ÷ (group deviation + 1e-6): each component is centered and scaled within
 * its group before they are added, so that no scorer outweighs another by its scale (arXiv:2601.05242; SLIM
 * does the same with a critic for each reward). A method that does not scale again (`scaleBy` none) uses
 * these as its advantages.
 */
export const perComponent = defineComposer({
  id: 'per-component',
  title: 'Advantage of each component',
  summary:
    'Centers and scales each scorer within the group before they are added, so that a scorer of large ' +
    'scale does not hide the others. The recorded total stays the weighted sum.',
  cites: 'arXiv:2601.05242',
  comparesGroups: true,
  params: z.strictObject({
    scale: z
      .enum(['deviation', 'none'])
      .default('deviation')
      .describe('Divisor of each component: its deviation in the group, or none.'),
  }),
  open: ({ scale }, components) => {
    const all = counting(components);
    return (scored) => {
      const values = Object.fromEntries(
        all.map(({ name }) => [
          name,
          standardized(scored.values[name], scored.groups, scale === 'deviation'),
        ]),
      );
      return { total: weightedSum(all, scored), credit: weightedSum(all, { ...scored, values }) };
    };
  },
});
