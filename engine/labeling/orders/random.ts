import * as z from 'zod';
import { shuffle } from '../../random/random.ts';
import { defineOrder, fresh, unlabeled } from './order.ts';

/** A random permutation: labels of a random sample, which statistics need. */
export const random = defineOrder({
  id: 'random',
  title: 'Random',
  summary: 'Every item is as likely as another to come next. The only order whose labels are a fair sample.',
  params: z.strictObject({}),
  order: (queue) => fresh(shuffle(unlabeled(queue), queue.seed, 'random order')),
});
