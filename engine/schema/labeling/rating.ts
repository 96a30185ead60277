import * as z from 'zod';
import type { LabelMode } from './mode.ts';

const Rating = z.record(z.string(), z.int().min(1));

/** Mean rating over the attributes. */
export const meanRating = (value: unknown): number => {
  const ratings = Object.values(Rating.parse(value));
  return ratings.reduce((sum, each) => sum + each, 0) / ratings.length;
};

export const rating: LabelMode = {
  id: 'rating',
  title: 'Rating',
  summary: 'Rate one answer at a time, on each attribute.',
  answers: { least: 1, most: 1 },
  value: (_count, { attributes, scale }) =>
    z.strictObject(Object.fromEntries(attributes.map((name) => [name, z.int().min(1).max(scale)]))),
  // one answer alone implies none; answers to the same prompt are compared by their mean ratings on export
  pairs: () => [],
  score: meanRating,
};
