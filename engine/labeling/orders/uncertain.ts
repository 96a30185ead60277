import * as z from 'zod';
import { byValue } from './by-value.ts';
import { defineOrder } from './order.ts';

/** Smallest margin first: |P(a) − P(b)| (Settles 2009, "Active learning literature survey", section 3.1). */
export const uncertain = defineOrder({
  id: 'uncertain',
  title: 'Most uncertain',
  summary: 'First the pairs on which the judge is nearest to a coin toss.',
  needs: ['probabilities'],
  params: z.strictObject({}),
  order: (queue) => byValue(queue, 'uncertain order', (item) => -Math.abs(2 * queue.probabilities[item] - 1)),
});
