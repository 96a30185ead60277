import { z } from 'zod';
import { defaultOptions } from './defaults.ts';

const words = (most: number) => z.array(z.string().trim().min(1).max(60)).max(most);

/** What the labelers of a set are asked for beyond the verdict. */
export const SetOptions = z.strictObject({
  /** Whether Shift with a verdict key means “much better”. */
  strength: z.boolean().default(defaultOptions.strength),
  /** Reasons to choose from by the keys 3 to 9. */
  reasons: words(7).default(defaultOptions.reasons),
  /** Problems of an item, apart from the verdict. */
  flags: words(4).default(defaultOptions.flags),
  /** Both answers are cut to the length of the shorter one until the pair is decided. */
  lengthBlind: z.boolean().default(defaultOptions.lengthBlind),
  /** Instructions for the labelers, in Markdown. */
  guidelines: z.string().max(20_000).default(defaultOptions.guidelines),
  /** Number of labelers that each item wants. */
  overlap: z.int().min(1).max(20).default(defaultOptions.overlap),
  /** Attributes that are rated, in the mode `rating`. */
  attributes: words(8).min(1).default(defaultOptions.attributes),
  /** Highest rating; the lowest is 1. */
  scale: z.int().min(2).max(9).default(defaultOptions.scale),
});
export type SetOptions = z.infer<typeof SetOptions>;

/** Facts that are stored with a decision; absent ones do not apply. */
export const DecisionDetails = z.strictObject({
  /** 1: slightly better, 2: better (if absent), 3: much better. */
  strength: z.int().min(1).max(3).optional(),
  reasons: words(32).optional(),
  flags: words(32).optional(),
  critique: z.string().max(20_000).optional(),
  /** The labeler looked at the reference answer before the decision. */
  revealed: z.boolean().optional(),
  /** The answers were cut to the same length before the decision. */
  lengthBlind: z.boolean().optional(),
});
export type DecisionDetails = z.infer<typeof DecisionDetails>;
