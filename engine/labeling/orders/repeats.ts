import * as z from 'zod';
import { shuffle } from '../../random/random.ts';
import { mixedIn } from './mixed-in.ts';
import { defineOrder, orderOf, type Order } from './order.ts';

/** Other orders with a share of items that the labeler has labeled before. */
export const repeatsOver = (others: readonly Order[]): Order =>
  defineOrder({
    id: 'repeats',
    title: 'Hidden repeats',
    summary:
      'A share of the items has been labeled before, unnoticed: self-agreement, the ceiling of any judge of ' +
      'these labels.',
    params: z.strictObject({
      share: z.number().gt(0).max(0.5).default(0.1).describe('Share of the queue that is shown again.'),
      over: z
        .enum(others.map(({ id }) => id))
        .default(others[0].id)
        .describe('Order of the other items.'),
    }),
    order: async (queue, { share, over }) => {
      const labeled = Array.from({ length: queue.count }, (_, item) => item).filter(
        (item) => queue.labeled[item] !== 0,
      );
      const repeats = shuffle(labeled, queue.seed, 'hidden repeats').map(
        (item) => ({ item, kind: 'repeat' }) as const,
      );
      return mixedIn(
        await orderOf(others, over).order(queue),
        repeats,
        share,
        queue.seed,
        'places of repeats',
      );
    },
  });
