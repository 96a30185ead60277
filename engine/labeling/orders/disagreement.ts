import * as z from 'zod';
import { byValue } from './by-value.ts';
import { defineOrder } from './order.ts';

/** Entropy of a coin in nats. */
const entropy = (p: number): number => (p <= 0 || p >= 1 ? 0 : -p * Math.log(p) - (1 - p) * Math.log(1 - p));

/**
 * Information about the judge in an item's label: entropy of the ensemble's mean minus the mean entropy
 * (BALD: Houlsby et al. 2011, arXiv:1112.5745, equation 2), over bootstrap heads.
 */
export const disagreement = defineOrder({
  id: 'disagreement',
  title: 'Ensemble disagreement',
  summary:
    'First the pairs on which judges that were fitted to resampled labels contradict one another. Unlike ' +
    'uncertainty, it passes over pairs that all of them find even.',
  needs: ['ensemble'],
  params: z.strictObject({}),
  order: (queue) =>
    byValue(queue, 'disagreement order', (item) => {
      const heads = queue.ensemble.map((head) => head[item]);
      const mean = (values: readonly number[]) =>
        values.reduce((a, b) => a + b, 0) / Math.max(1, values.length);
      return entropy(mean(heads)) - mean(heads.map(entropy));
    }),
});
