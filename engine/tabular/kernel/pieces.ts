/** A log as short pieces, and states that pieces have in common. */
import type { RandomStream } from '../../random/random.ts';
import { episodesOf, type Logged } from './logged.ts';
import { filled } from './tables.ts';

/** The log in trajectories of at most `most` steps; where an episode is cut first, chance decides. */
export const piecesOf = (log: readonly Logged[], most: number, draw: RandomStream): Logged[][] =>
  episodesOf(log).flatMap((episode) => {
    const first = 1 + draw.int(most);
    const pieces = [episode.slice(0, first)];
    for (let at = first; at < episode.length; at += most) pieces.push(episode.slice(at, at + most));
    return pieces;
  });

/**
 * Cluster of each of `states` by its number, −1 for one that no piece meets: each belongs to the nearest, by
 * logged steps in either direction, of `clusters` states drawn as centres.
 */
export const clustersOf = (
  pieces: readonly (readonly Logged[])[],
  states: number,
  clusters: number,
  draw: RandomStream,
): number[] => {
  const beside = Array.from({ length: states }, () => new Set<number>());
  for (const { state, next } of pieces.flat()) {
    beside[state].add(next);
    beside[next].add(state);
  }
  const met = Array.from({ length: states }, (_, state) => state).filter((state) => beside[state].size > 0);
  const found = filled(states, -1);
  const queue = draw.shuffle(met).slice(0, clusters);
  queue.forEach((centre, cluster) => (found[centre] = cluster));
  for (const state of queue)
    for (const near of beside[state])
      if (found[near] < 0) {
        found[near] = found[state];
        queue.push(near);
      }
  return found;
};

/** Index of a later step, or of the same: how far is geometric with `discount`, cut at the end. */
export const laterIn = (
  piece: { readonly length: number },
  at: number,
  discount: number,
  draw: RandomStream,
): number => Math.min(piece.length - 1, at + Math.floor(Math.log(draw.next()) / Math.log(discount)));
