import * as z from 'zod';
import { featureWeights } from '../k-means.ts';
import { byValue } from './by-value.ts';
import { defineOrder } from './order.ts';

/**
 * Expected gradient length (Settles, Craven and Ray 2008): Σ over verdicts of P(verdict) · |∇ loss|. For a
 * logistic head the gradient is (p − y) · x, so it is 2 p (1 − p) · |x|,
 * with features scaled as the judge scales them, to a mean square of 1.
 */
export const modelChange = defineOrder({
  id: 'model-change',
  title: 'Expected model change',
  summary: 'First the pairs whose verdict, whatever it is, would move the judge most.',
  needs: ['features', 'probabilities'],
  params: z.strictObject({}),
  order: (queue) => {
    const { values, width } = queue.features;
    const weights = featureWeights(queue.features);
    return byValue(queue, 'model change order', (item) => {
      const p = queue.probabilities[item];
      const row = values.subarray(item * width, (item + 1) * width);
      return 2 * p * (1 - p) * Math.sqrt(row.reduce((sum, x, f) => sum + x * x * weights[f], 0));
    });
  },
});
