/** A judge's representations of the answers of its held-out pairs, in a plane. */
import * as z from 'zod';
import { real } from './real.ts';

/** Nearest neighbours that are kept of each answer. */
export const NEIGHBOURS = 10;

const counts = z.array(z.int().min(0));

/**
 * A stored map: the distinct answers, numbered from 0, and the pairs that they belong to. `summary` of a report
 * of kind `map` is `JudgeMapSummary`.
 */
export const JudgeMapReport = z.strictObject({
  /** Positions of the pairs in the inspection, and the number of each one's chosen and rejected answer. */
  positions: counts,
  chosen: counts,
  rejected: counts,
  /** Place of each answer. */
  x: z.array(real),
  y: z.array(real),
  /** Answers × up to 10: the nearest other answers, nearest first, and their cosines. */
  neighbours: z.array(counts),
  cosines: z.array(z.array(real)),
});
export type JudgeMapReport = z.infer<typeof JudgeMapReport>;

export const JudgeMapSummary = z.strictObject({
  /** The inspection that the pairs are of, and its number of pairs. */
  attempt: z.int(),
  pairs: z.int(),
  /** Pairs and distinct answers on the map; answers that exceed the context and were read in part. */
  placed: z.int(),
  answers: z.int(),
  cut: z.int(),
  /** Numbers of a representation, and the share of their variance that each axis holds. */
  width: z.int(),
  explained: z.tuple([real, real]),
});
export type JudgeMapSummary = z.infer<typeof JudgeMapSummary>;
