import * as z from 'zod';
import { Interval } from '../../engine/schema/evaluation.ts';
import { Consensus } from '../../engine/schema/labeling/index.ts';
import { Verdict } from '../../engine/schema/preference.ts';
import { call } from './define.ts';
import { Choice } from './labels.ts';

const id = z.string().min(1);
const setId = z.strictObject({ setId: id });

/** A share with Wilson's 95 % interval; `rate` is null without cases. */
export const Rate = z.strictObject({ rate: z.number().nullable(), interval: Interval, n: z.number() });
export type Rate = z.infer<typeof Rate>;

/** A coefficient with its bootstrap interval; null where the labels leave it undefined. */
export const Coefficient = z.strictObject({
  value: z.number().nullable(),
  interval: Interval.nullable(),
  /** Items that it was computed from. */
  items: z.number(),
});
export type Coefficient = z.infer<typeof Coefficient>;

/** Change of a measure over a labeler's decisions. */
export const Drift = z.strictObject({
  /** Seconds for each decision; 1 and 0 for agreement with the other labelers. */
  measure: z.enum(['seconds', 'agreement']),
  blocks: z.array(z.strictObject({ from: z.number(), to: z.number(), mean: z.number() })),
  /** Change over 100 decisions. */
  per100: z.number(),
  interval: Interval,
  drifts: z.boolean(),
});
export type Drift = z.infer<typeof Drift>;

export const LabelerQuality = z.strictObject({
  labeler: z.string(),
  labeled: z.number(),
  /** Without ties, “both bad” and skips. */
  decided: z.number(),
  /** Seconds for each decision, pauses excluded; null with fewer than two decisions in a sitting. */
  pace: z
    .strictObject({ median: z.number(), low: z.number(), high: z.number(), sittings: z.number() })
    .nullable(),
  /** Share of decided pairs won by the left side. */
  left: Rate.extend({ biased: z.boolean() }),
  /** Agreement of decisions on repeats with the first ones. */
  self: Rate,
  gold: Rate,
  drifts: z.array(Drift),
  /** Probability that a label of this labeler is the true one (Dawid and Skene 1979). */
  reliability: z.number().nullable(),
});
export type LabelerQuality = z.infer<typeof LabelerQuality>;

export const QualityReport = z.strictObject({
  setId: z.string(),
  name: z.string(),
  mode: z.string(),
  consensus: Consensus,
  overlap: z.number(),
  repeats: z.number(),
  goldShare: z.number(),
  goldItems: z.number(),
  labelers: z.array(LabelerQuality),
  /** Items with labels of two labelers or more, without skips. */
  shared: z.number(),
  /** Shared items on which labelers disagree, of correctness whatever the step; and adjudicated items. */
  disputed: z.number(),
  adjudicated: z.number(),
  /** Cohen's kappa of each two labelers who share items. */
  pairs: z.array(z.strictObject({ one: z.string(), other: z.string(), kappa: Coefficient })),
  /** Fleiss' kappa, over the items that the most frequent number of labelers decided; null without any. */
  fleiss: Coefficient.extend({ raters: z.number() }).nullable(),
  /** Krippendorff's alpha, nominal. */
  alpha: Coefficient.nullable(),
  /**
   * In sets of correctness, where the other figures compare correct and incorrect: of the items that at least two
   * labelers call incorrect at a step, the share in which all of them name the same step.
   */
  steps: Rate.optional(),
  /** Self-agreement of all labelers: the ceiling of a reward model's accuracy on these labels. */
  ceiling: Rate,
});
export type QualityReport = z.infer<typeof QualityReport>;

export const GoldItem = z.strictObject({
  pairId: z.string(),
  position: z.number(),
  prompt: z.string(),
  verdict: Verdict,
  /** `marks`, `review`, or the name that a program gives. */
  source: z.string(),
  at: z.number(),
  labelers: z.number(),
});
export type GoldItem = z.infer<typeof GoldItem>;

const counted = z.strictObject({ gold: z.number() });

/** The quality of a set's labels. */
export const quality = {
  report: call(setId, QualityReport),
  /** Self-agreement on the repeats of a set; `rate` is null without any. */
  ceiling: call(setId, Rate),
  gold: call(setId, z.array(GoldItem)),
  /** Marks items as gold with their known verdicts: a side as shown, or a stored answer. */
  markGold: call(
    z.strictObject({
      setId: id,
      items: z
        .array(
          z.strictObject({
            pairId: id,
            verdict: z.union([Verdict.exclude(['skip']), Choice.exclude(['skip', 'answered'])]),
          }),
        )
        .min(1)
        .max(10_000),
      source: z.string().trim().min(1).max(80).default('review'),
    }),
    counted,
  ),
  /** Marks as gold each pair of a right and a wrong answer. */
  goldFromMarks: call(setId, counted),
  /** Removes marks of gold, all of them without `pairIds`. */
  unmarkGold: call(z.strictObject({ setId: id, pairIds: z.array(id).max(10_000).optional() }), counted),
};
