import type { ModeId, SetOptions } from '../../../engine/schema/labeling/index.ts';

/** Ranks of answers while they are given: 0 is none yet. */
export type Ranks = readonly number[];
/** Ratings by attribute while they are given. */
export type Ratings = Readonly<Record<string, number>>;

const isRanks = (value: unknown, count: number): value is Ranks =>
  Array.isArray(value) && value.length === count && value.every((rank) => typeof rank === 'number');

export const ranksOf = (value: unknown, count: number): Ranks =>
  isRanks(value, count) ? value : Array.from({ length: count }, () => 0);

export const ratingsOf = (value: unknown): Ratings =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Ratings) : {};

/**
 * The ranks after the key of an answer: it gets the next rank, or the same as the last one with `tied`. A
 * complete ranking begins again.
 */
export function rankNext(before: Ranks, at: number, tied: boolean): Ranks {
  if (at < 0 || at >= before.length) return before;
  const ranks = before.every((rank) => rank > 0) ? before.map(() => 0) : before;
  if (ranks[at] > 0) return ranks;
  const last = Math.max(...ranks);
  return ranks.with(at, tied && last > 0 ? last : ranks.filter((rank) => rank > 0).length + 1);
}

/** The first attribute without a rating; undefined if all have one. */
export const attributeOf = (ratings: Ratings, { attributes }: Pick<SetOptions, 'attributes'>) =>
  attributes.find((name) => !(name in ratings));

/** The ratings after the key of a number; complete ratings begin again. */
export function rateNext(before: Ratings, rating: number, options: SetOptions): Ratings {
  if (rating < 1 || rating > options.scale) return before;
  const open = attributeOf(before, options);
  return open === undefined ? { [options.attributes[0]]: rating } : { ...before, [open]: rating };
}

/** True if a value is a complete answer of the mode. */
export function isComplete(mode: ModeId, value: unknown, count: number, options: SetOptions): boolean {
  if (mode === 'ranking') return ranksOf(value, count).every((rank) => rank > 0);
  if (mode === 'rating') return attributeOf(ratingsOf(value), options) === undefined;
  return true;
}
