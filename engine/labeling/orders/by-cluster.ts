import * as z from 'zod';
import { shuffle } from '../../random/random.ts';
import { kMeans } from '../k-means.ts';
import { defineOrder, fresh, unlabeled } from './order.ts';

/**
 * Stratified over k-means clusters of the features: the next item comes from the cluster with the fewest
 * labels for its size, labels already given counted (Webster's method: (taken + ½) ⁄ size), at random within.
 */
export const byCluster = defineOrder({
  id: 'by-cluster',
  title: 'By cluster',
  summary: 'Every kind of pair in turn, in proportion to how many there are of it.',
  needs: ['features'],
  params: z.strictObject({
    clusters: z.int().min(2).max(200).default(10).describe('Clusters of the features.'),
  }),
  order: async (queue, { clusters }) => {
    const of =
      queue.features.width === 0
        ? new Uint32Array(queue.count)
        : await kMeans(queue.features, Math.min(clusters, queue.count), queue.seed);
    const sizes = new Float64Array(clusters);
    const taken = new Float64Array(clusters);
    of.forEach((cluster, item) => {
      sizes[cluster]++;
      if (queue.labeled[item] !== 0) taken[cluster]++;
    });
    const left = Map.groupBy(shuffle(unlabeled(queue), queue.seed, 'cluster order'), (item) => of[item]);
    const entries: number[] = [];
    while (left.size > 0) {
      const next = [...left.keys()].reduce((best, cluster) => {
        const [a, b] = [cluster, best].map((c) => (taken[c] + 0.5) / sizes[c]);
        return a < b || (a === b && cluster < best) ? cluster : best;
      });
      const own = left.get(next) ?? [];
      const item = own.pop();
      if (item !== undefined) entries.push(item);
      taken[next]++;
      if (own.length === 0) left.delete(next);
    }
    return fresh(entries);
  },
});
