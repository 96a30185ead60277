import { shuffle } from '../../random/random.ts';
import { fresh, unlabeled, type Queue, type QueueEntry } from './order.ts';

/** Unlabeled items by falling value; equal values in random order. */
export const byValue = (queue: Queue, purpose: string, valueOf: (item: number) => number): QueueEntry[] => {
  const items = shuffle(unlabeled(queue), queue.seed, purpose);
  const values = new Map(items.map((item) => [item, valueOf(item)]));
  return fresh(items.sort((a, b) => (values.get(b) ?? 0) - (values.get(a) ?? 0)));
};
