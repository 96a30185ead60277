/** Held-out pairs of a reward model's inspection, one by one: the rows behind its numbers. */
import * as z from 'zod';
import { Verdict } from './preference.ts';
import { real } from './real.ts';

/**
 * A held-out pair with the scores of a reward model. Of a pair without a preferred answer (a tie, both bad,
 * skipped), `chosen` is the stored answer a and `rejected` is b.
 */
export const InspectedPair = z.strictObject({
  /** As in the training data: the id of a label set's pair, or `row-row` of a dataset's rows. */
  pairId: z.string(),
  promptId: z.string(),
  prompt: z.string(),
  chosen: z.string(),
  rejected: z.string(),
  verdict: Verdict,
  chosenScore: real,
  rejectedScore: real,
  /** Log-odds that the chosen answer is better: the difference of the scores, or of their log-odds. */
  odds: real,
  /** Lengths in tokens. */
  chosenTokens: real,
  rejectedTokens: real,
  /** Correctness of each answer; null if unknown. */
  chosenCorrect: z.boolean().nullable(),
  rejectedCorrect: z.boolean().nullable(),
  /** Numbers of the prompt and of each answer among the distinct ones of the inspection, from 0. */
  promptNumber: real,
  chosenNumber: real,
  rejectedNumber: real,
  /** Probability that the verdict is right, and strength of the preference, as of a `Preference`. */
  weight: z.number().optional(),
  strength: z.number().optional(),
});
export type InspectedPair = z.infer<typeof InspectedPair>;

const bounds = z.tuple([real.nullable(), real.nullable()]);

/** A region of the judge's map, bounds included; null leaves a side open. */
export const RegionMark = z.strictObject({ kind: z.literal('region'), x: bounds, y: bounds });
export type RegionMark = z.infer<typeof RegionMark>;

/**
 * A mark of the inspection: a bar of a histogram or a dot of the reliability diagram, by its index in the
 * stored inspection, a slice by its column and name, pairs by their positions, or those with an answer in a
 * region of the map.
 */
export const PairMark = z.discriminatedUnion('kind', [
  RegionMark,
  z.strictObject({ kind: z.enum(['scores', 'margins', 'reliability']), bin: z.int().min(0) }),
  z.strictObject({
    kind: z.literal('slice'),
    by: z.string().min(1).max(500),
    name: z.string().max(2000),
  }),
  z.strictObject({ kind: z.literal('positions'), positions: z.array(z.int().min(0)).min(1).max(10_000) }),
]);
export type PairMark = z.infer<typeof PairMark>;

/** Pairs by the model's verdict: it scores the chosen answer higher, lower, or both equally. */
export const PairOutcome = z.enum(['right', 'wrong', 'equal']);
export type PairOutcome = z.infer<typeof PairOutcome>;

/** Pairs behind a mark, and those of one outcome among them; without a field, all. */
export const PairFilter = z.strictObject({ mark: PairMark.optional(), outcome: PairOutcome.optional() });
export type PairFilter = z.infer<typeof PairFilter>;
/** A filter whose mark the numbers of the pairs decide; a region needs the stored map. */
export interface NumberFilter {
  readonly mark?: Exclude<PairMark, RegionMark>;
  readonly outcome?: PairOutcome;
}

/**
 * Orders of pairs. `hardest`: smallest |margin| first. `surest-error`: most negative margin first.
 * `disagreement`: largest divergence of the model's probability from the label's certainty first.
 * `longest-ratio`: the most unequal lengths first. `stored`: the order of the data. `ensemble`: the largest
 * deviation of the margins over several judges first.
 */
export const PairOrder = z.enum([
  'stored',
  'hardest',
  'surest-error',
  'disagreement',
  'longest-ratio',
  'ensemble',
]);
export type PairOrder = z.infer<typeof PairOrder>;

/** A scalar temperature of margins, fitted and judged on different pairs. */
export const TemperatureFit = z.strictObject({
  /**
   * T that minimizes the negative log-likelihood of σ(odds / T) over all pairs; null without a minimum at a
   * finite, positive T.
   */
  temperature: real.nullable(),
  /** The reason for null: every margin is right, or the margins tell no better than chance. */
  reason: z.enum(['separable', 'no-better-than-chance', 'too-few']).nullable(),
  /** T of each fold's model, fitted without the fold; null where there is none. */
  folds: z.array(real.nullable()),
  pairs: real,
  /** Before: σ(odds). After: σ(odds / T), with the T that was fitted without the pair's prompt. */
  ece: z.strictObject({ before: real, after: real.nullable() }),
  nll: z.strictObject({ before: real, after: real.nullable() }),
});
export type TemperatureFit = z.infer<typeof TemperatureFit>;

/** Accuracy on a slice of the pairs. */
export const PairSlice = z.strictObject({
  name: z.string(),
  /** Pairs, their distinct prompts, and the number of independent pairs that they are worth. */
  n: real,
  prompts: real,
  effective: real,
  accuracy: real,
  /** 95 % on its own, and 95 % for all slices of the family at once; null for a slice that is too small. */
  interval: z.tuple([real, real]).nullable(),
  simultaneous: z.tuple([real, real]).nullable(),
  /** p of the difference from the other pairs, corrected for the family by Holm; null if not tested. */
  p: real.nullable(),
  flag: z.enum(['lower', 'higher', 'too-small']).nullable(),
});
export type PairSlice = z.infer<typeof PairSlice>;
