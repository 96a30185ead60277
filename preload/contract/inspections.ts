import * as z from 'zod';
import { Verdict } from '../../engine/schema/preference.ts';
import { PairFilter, PairOrder, PairSlice, TemperatureFit } from '../../engine/schema/inspected-pair.ts';
import { Dataset } from './datasets.ts';
import { EnsembleReport, OtherJudges, PairEnsemble } from './ensembles.ts';
import { call, feed, float64s, real } from './define.ts';
import { LabelSet } from './labels.ts';

const id = z.string().min(1);
const filter = PairFilter.default({});
const order = PairOrder.default('stored');
/** Other judges, whose disagreement is shown; the order `ensemble` needs them. */
const others = OtherJudges.optional();
const name = z.string().trim().min(1).max(200);

/** A held-out pair as a page shows it. */
export const ShownPair = z.strictObject({
  /** Its place among the pairs of the inspection, from 0. */
  position: z.number(),
  pairId: z.string(),
  prompt: z.string(),
  /** The preferred answer, and the other one; answers a and b where neither is preferred. */
  chosen: z.string(),
  rejected: z.string(),
  verdict: Verdict,
  chosenScore: real,
  rejectedScore: real,
  margin: real,
  /** The model's probability that the chosen answer is better: σ of the log-odds. */
  probability: real,
  /** Probability that the verdict is right; null if unknown, as with a single labeler. */
  certainty: real.nullable(),
  strength: real.nullable(),
  /** Divergence of the model's probability from the label's certainty, in nats. */
  disagreement: real,
  chosenTokens: real,
  rejectedTokens: real,
  chosenCorrect: z.boolean().nullable(),
  rejectedCorrect: z.boolean().nullable(),
  /** The label set that the pair belongs to, with the verdict that counts now; null if it is not there. */
  label: z.strictObject({ setId: z.string(), set: z.string(), verdict: Verdict.nullable() }).nullable(),
  /** With other judges; null without them, and for a pair that not all were inspected on. */
  ensemble: PairEnsemble.nullable(),
});
export type ShownPair = z.infer<typeof ShownPair>;

/** A column that pairs can be sliced by. */
export const SliceColumn = z.strictObject({ name: z.string(), about: z.string() });
export type SliceColumn = z.infer<typeof SliceColumn>;

export const SliceTable = z.strictObject({
  slices: z.array(PairSlice.extend({ by: z.string() })),
  /** Slices that were tested: intervals and p-values are corrected for so many. */
  tested: z.number(),
  /** Smaller slices that are left out of the list. */
  more: z.number(),
});
export type SliceTable = z.infer<typeof SliceTable>;

/** Scores and lengths of the distinct answers, or of some of them, evenly chosen. */
export const LengthPoints = z.strictObject({
  answers: z.number(),
  /** Rank correlation (Spearman) and correlation (Pearson) over all answers; null if undefined. */
  spearman: real.nullable(),
  pearson: real.nullable(),
  tokens: float64s,
  scores: float64s,
  /** The first pair that each answer is in. */
  positions: float64s,
});
export type LengthPoints = z.infer<typeof LengthPoints>;

/** Two reward models on the pairs that both were inspected on. */
export const PairAgreement = z.strictObject({
  /** Shared pairs with a preferred answer; pairs of each model that the other lacks. */
  pairs: z.number(),
  onlyHere: z.number(),
  onlyThere: z.number(),
  /** Share of pairs whose answers both models put into the same order; null without shared pairs. */
  agreement: real.nullable(),
  /** Accuracies on the shared pairs, and there − here with its 95 % interval, resampled by prompt. */
  here: real.nullable(),
  there: real.nullable(),
  difference: real.nullable(),
  interval: z.tuple([real, real]).nullable(),
  onlyHereRight: z.number(),
  onlyThereRight: z.number(),
  /** Number of pairs that only one of them gets right, and the positions of the first in this inspection. */
  differing: z.number(),
  positions: z.array(z.number()),
});
export type PairAgreement = z.infer<typeof PairAgreement>;

/** The held-out pairs behind the inspection of a reward model. */
export const inspections = {
  /** Number of stored pairs; null if the inspection was stored without them: `again` brings them. */
  state: call(z.strictObject({ runId: id }), z.strictObject({ pairs: z.number().nullable() })),
  /**
   * The pairs behind a mark of the inspection, in an order. `answers`: the number of distinct answers that a bar
   * of scores counts; null for other marks.
   */
  pairs: call(
    z.strictObject({
      runId: id,
      filter,
      order,
      others,
      offset: z.int().min(0).default(0),
      limit: z.int().min(1).max(200).default(50),
    }),
    z.strictObject({ total: z.number(), answers: z.number().nullable(), pairs: z.array(ShownPair) }),
  ),
  columns: call(z.strictObject({ runId: id }), z.array(SliceColumn)),
  /** Accuracy by the values of columns, all of them one family. */
  slices: call(
    z.strictObject({ runId: id, by: z.array(z.string().min(1).max(500)).min(1).max(16) }),
    SliceTable,
  ),
  temperature: call(z.strictObject({ runId: id }), TemperatureFit),
  lengths: call(z.strictObject({ runId: id, most: z.int().min(1).max(20_000).default(4000) }), LengthPoints),
  /** Another run's inspection on the same pairs. */
  against: call(z.strictObject({ runId: id, otherId: id }), PairAgreement),
  /** Other runs' inspections on the same pairs, as an ensemble with this one. */
  ensemble: call(z.strictObject({ runId: id, others: OtherJudges.min(1) }), EnsembleReport),
  /** Makes a dataset of the pairs: two rows a pair, the chosen answer marked right, the other one wrong. */
  toDataset: call(z.strictObject({ runId: id, filter, order, others, name }), Dataset),
  /** Makes such a dataset, and a label set that asks about its pairs in their order. */
  toLabels: call(z.strictObject({ runId: id, filter, order, others, name }), LabelSet),
  /** Scores the pairs of an older inspection by its checkpoint, and stores them. Closing the feed cancels it. */
  again: feed(z.strictObject({ runId: id }), z.strictObject({ done: z.number(), total: z.number() })),
};
