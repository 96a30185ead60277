/**
 * Learns a policy backwards along a way: episodes begin near its end, and farther back as they succeed (Salimans
 * and Chen 2018, arXiv:1812.03381).
 */
import type { SavedCopies } from '../../control/index.ts';

/** A way from the start: the places that it went through, and what it had earned at each. */
export interface Way {
  readonly places: SavedCopies[];
  readonly earned: number[];
}
export const copyOf = ({ places, earned }: Way): Way => ({ places: [...places], earned: [...earned] });

/** Plain data, part of an agent’s memory. */
export interface Backward {
  readonly way: Way;
  /** What the whole way earned. */
  readonly score: number;
  /** Place of the way where episodes begin; −1 for the start. */
  at: number;
  /** Earned in the current episode. */
  sum: number;
  /** The last ten episodes from this place: 1 for one that earned what the way did. */
  successes: number[];
}

export const newBackward = (way: Way, score: number): Backward => ({
  ...{ way: copyOf(way), score },
  ...{ at: way.places.length - 1, sum: 0, successes: [] },
});

/** Where the next episode begins; null for the start. */
export const placeOf = ({ at, way }: Backward): SavedCopies | null => (at < 0 ? null : way.places[at]);

/** Counts a step; after an episode, moves one place back if a fifth of the last ten have succeeded. */
export const followed = (backward: Backward, reward: number, isLast: boolean): void => {
  const { way, score, at } = backward;
  backward.sum += reward;
  if (!isLast) return;
  const isSuccess = backward.sum >= score - (at < 0 ? 0 : way.earned[at]) - 1e-9;
  backward.sum = 0;
  backward.successes = [...backward.successes.slice(-9), isSuccess ? 1 : 0];
  if (at < 0 || backward.successes.filter((each) => each === 1).length < 2) return;
  backward.at--;
  backward.successes = [];
};
