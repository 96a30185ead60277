import * as z from 'zod';
import { shuffle } from '../../random/random.ts';
import { mixedIn } from './mixed-in.ts';
import { defineOrder, orderOf, type Order } from './order.ts';

/** Other orders with a share of gold items, whose label is known; each is shown once at most. */
export const goldOver = (others: readonly Order[]): Order =>
  defineOrder({
    id: 'gold',
    title: 'Gold items',
    summary:
      'A share of the items has a known label, unnoticed: agreement with gold, while labeling goes on.',
    needs: ['gold'],
    params: z.strictObject({
      share: z.number().gt(0).max(0.5).default(0.1).describe('Share of the queue that is gold.'),
      over: z
        .enum(others.map(({ id }) => id))
        .default(others[0].id)
        .describe('Order of the other items.'),
    }),
    order: async (queue, { share, over }) => {
      const gold = new Set(queue.gold);
      const entries = (await orderOf(others, over).order(queue)).filter(({ item }) => !gold.has(item));
      const hidden = shuffle(
        [...gold].filter((item) => queue.labeled[item] === 0),
        queue.seed,
        'gold items',
      ).map((item) => ({ item, kind: 'gold' }) as const);
      return mixedIn(entries, hidden, share, queue.seed, 'places of gold');
    },
  });
