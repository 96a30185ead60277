import * as z from 'zod';
import { pause } from '../../pace/index.ts';
import { shuffle } from '../../random/random.ts';
import { featureWeights, type Points } from '../k-means.ts';
import { defineOrder, fresh, unlabeled } from './order.ts';

/** Lowers each item's squared distance to the nearest centre by a new centre. */
const cover = (
  { values, width }: Points,
  weights: Float64Array,
  items: readonly number[],
  centre: number,
  nearest: Float64Array,
): void => {
  for (const item of items) {
    let sum = 0;
    for (let f = 0, a = item * width, b = centre * width; f < width; f++, a++, b++) {
      const d = values[a] - values[b];
      sum += d * d * weights[f];
      if (sum >= nearest[item]) break;
    }
    if (sum < nearest[item]) nearest[item] = sum;
  }
};

/** Labeled items that distances are measured to, the last ones drawn at random. */
const MOST_CENTRES = 2000;

/**
 * Farthest first: each next item is the one farthest from all labeled and already queued ones (greedy
 * k-centre: Sener and Savarese 2018, arXiv:1708.00489, algorithm 1). Exact for the first `ahead` items; the
 * others follow by their distance to those. Every feature is scaled to a mean square of 1.
 */
export const novelty = defineOrder({
  id: 'novelty',
  title: 'Novelty',
  summary: 'First the pairs that are least like any labeled one, in the space of the model’s features.',
  needs: ['features'],
  params: z.strictObject({
    ahead: z
      .int()
      .min(1)
      .max(2000)
      .default(100)
      .describe('Items that are chosen one after another; the queue is ordered again before they run out.'),
  }),
  order: async (queue, { ahead }) => {
    const weights = featureWeights(queue.features);
    const items = shuffle(unlabeled(queue), queue.seed, 'novelty order');
    const nearest = new Float64Array(queue.count).fill(Infinity);
    const labeled = Array.from({ length: queue.count }, (_, item) => item).filter(
      (item) => queue.labeled[item] !== 0,
    );
    for (const centre of shuffle(labeled, queue.seed, 'novelty centres').slice(0, MOST_CENTRES)) {
      await pause();
      cover(queue.features, weights, items, centre, nearest);
    }
    const chosen: number[] = [];
    const left = new Set(items);
    while (left.size > 0 && chosen.length < ahead) {
      await pause();
      let next = -1;
      for (const item of left) if (next < 0 || nearest[item] > nearest[next]) next = item;
      chosen.push(next);
      left.delete(next);
      cover(queue.features, weights, items, next, nearest);
    }
    return fresh([...chosen, ...[...left].sort((a, b) => nearest[b] - nearest[a])]);
  },
});
