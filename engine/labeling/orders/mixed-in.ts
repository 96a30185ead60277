import { stream } from '../../random/random.ts';
import type { QueueEntry } from './order.ts';

/**
 * Mixes entries into others so that they are a chosen share of the result, at random places: one random place
 * in each stretch of 1 ⁄ share entries, so that they are spread evenly and cannot be foretold. Without enough
 * of them the rest of the queue has none.
 */
export const mixedIn = (
  base: readonly QueueEntry[],
  extra: readonly QueueEntry[],
  share: number,
  seed: number,
  purpose: string,
): QueueEntry[] => {
  if (share <= 0 || extra.length === 0) return [...base];
  const draw = stream(seed, purpose);
  const stretch = 1 / share;
  const found: QueueEntry[] = [];
  let used = 0;
  let at = 0;
  let place = Math.floor(draw.next() * stretch);
  while (at < base.length) {
    if (used < extra.length && found.length >= place) {
      found.push(extra[used]);
      used++;
      place = Math.floor(used * stretch + draw.next() * stretch);
    } else {
      found.push(base[at]);
      at++;
    }
  }
  return found;
};
