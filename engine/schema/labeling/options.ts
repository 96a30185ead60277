import * as z from 'zod';

const words = (most: number) => z.array(z.string().trim().min(1).max(60)).max(most);

/** Whose label of an item counts, where several labelers decided it: see `consensus` of a set's options. */
export const Consensus = z.enum(['newest', 'majority', 'reliability']);
export type Consensus = z.infer<typeof Consensus>;

const fields = {
  /** True if Shift with a verdict key means “much better”. */
  strength: z.boolean(),
  /** Reasons to choose from by the keys 3 to 9. */
  reasons: words(7),
  /** Problems of an item, apart from the verdict. */
  flags: words(4),
  /** Both answers are cut to the length of the shorter one until the pair is decided. */
  lengthBlind: z.boolean(),
  /** Instructions for the labelers, in Markdown. */
  guidelines: z.string().max(20_000),
  /** Number of labelers that each item wants. */
  overlap: z.int().min(1).max(20),
  /** Attributes that are rated, in the mode `rating`. */
  attributes: words(8).min(1),
  /** Highest rating; the lowest is 1. */
  scale: z.int().min(2).max(9),
  /** Share of what a labeler sees that the labeler has decided before, unnoticed. */
  repeats: z.number().min(0).max(0.5),
  /** Least number of new items between a decision and its repeat. */
  repeatAfter: z.int().min(1).max(1000),
  /** Share of the new items that are gold, while there are any. */
  gold: z.number().min(0).max(0.5),
  /**
   * The verdict of an item without adjudication: the newest label; the verdict of most labelers; or the most
   * probable one by the labelers' reliability (Dawid and Skene 1979).
   */
  consensus: Consensus,
  /** Labels of marked parts, in the mode `spans`; chosen by the keys 1 to 9. */
  spanLabels: words(9).min(1),
};

/** Details that the labelers of a set give beyond the verdict. */
export const SetOptions = z.strictObject(fields);
export type SetOptions = z.infer<typeof SetOptions>;

/** Some options; the others keep their values, or the defaults. */
export const OptionChanges = SetOptions.partial();
export type OptionChanges = z.infer<typeof OptionChanges>;

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
