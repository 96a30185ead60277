import * as z from 'zod';
import { call, done, feed, nothing } from './define.ts';
import { PairShown } from './labels.ts';

const id = z.string().min(1);
const setId = z.strictObject({ setId: id });

/** The order of a set's queue, and the judge that follows its labels; `defaultJudge` until something is chosen. */
export const JudgeSettings = z.strictObject({
  /** Id of an order, and its parameters; an order that needs a judge waits for its first fit. */
  order: z.string().min(1).max(60),
  params: z.record(z.string(), z.unknown()),
  /** The model whose features the judge learns from; null: statistics of the text, without a model. */
  model: z.strictObject({ kind: z.enum(['model', 'checkpoint']), id }).nullable(),
  /** New labels between two fits; at least 2 % of all. */
  every: z.int().min(1).max(500),
  /** Unlabeled items among which the order chooses: each needs features. */
  candidates: z.int().min(10).max(20_000),
});
export type JudgeSettings = z.infer<typeof JudgeSettings>;

/** Some settings; the others keep their values. */
export const JudgeChanges = JudgeSettings.partial();
export type JudgeChanges = z.infer<typeof JudgeChanges>;

const interval = z.tuple([z.number(), z.number()]);

/** Share of left-out pairs that a judge of so many labels decides as the labeler did, with a 95 % interval. */
export const JudgeAccuracy = z.strictObject({ labels: z.number(), accuracy: z.number(), interval });
export type JudgeAccuracy = z.infer<typeof JudgeAccuracy>;

/** A judge as fitted; null accuracy: all labels are about one prompt, so none can be left out. */
export const JudgeFitFacts = z.strictObject({
  labels: z.number(),
  accuracy: z.number().nullable(),
  interval: interval.nullable(),
  at: z.number(),
  /** Labeled pairs without features, too long for the model. */
  leftOut: z.number(),
  /** With fewer labels, rising; the last point is this fit. */
  curve: z.array(JudgeAccuracy),
});
export type JudgeFitFacts = z.infer<typeof JudgeFitFacts>;

/** Where the background work of a set stands. Nothing of it is about an undecided pair. */
export const JudgeStatus = z.strictObject({
  setId: z.string(),
  settings: JudgeSettings,
  /** `unsupported`: the set's decisions are no choices between two answers. */
  state: z.enum(['unsupported', 'waiting', 'features', 'fitting', 'ordering', 'ready']),
  /** True if a step is in progress, or is being looked for. */
  working: z.boolean(),
  /** Share of the step in `state` that is done. */
  share: z.number(),
  /** Decisions for a side; a judge is fitted from `judgedFrom` on. */
  decided: z.number(),
  fit: JudgeFitFacts.nullable(),
  /** Earlier fits, oldest first, at most 100. */
  history: z.array(JudgeAccuracy.extend({ at: z.number() })),
  /** When the rest of the queue was ordered as chosen; null: it is random. */
  orderedAt: z.number().nullable(),
  /** Pairs with features, and pairs that are longer than the model's context. */
  read: z.number(),
  tooLong: z.number(),
  disagreements: z.number(),
  error: z
    .strictObject({ message: z.string(), hint: z.string().optional(), where: z.string().optional() })
    .nullable(),
});
export type JudgeStatus = z.infer<typeof JudgeStatus>;

export const OrderFacts = z.strictObject({
  id: z.string(),
  title: z.string(),
  summary: z.string(),
  /** It is random until the first fit. */
  needsJudge: z.boolean(),
  params: z.record(z.string(), z.unknown()),
});
export type OrderFacts = z.infer<typeof OrderFacts>;

export const judge = {
  /** Orders that a queue can have, with the JSON Schema of their parameters. */
  orders: call(nothing, z.array(OrderFacts)),
  status: call(setId, JudgeStatus),
  /** Keeps the judge and the order of a set up with its labels while it is open. */
  live: feed(setId, JudgeStatus),
  /** Changes some settings. Throws `not-found` for an unknown order, `invalid-input` for wrong parameters. */
  choose: call(z.strictObject({ setId: id, settings: JudgeChanges }), JudgeStatus),
  /** Fits the judge and orders the queue now; ends when that is done. Closing it cancels the work. */
  fit: feed(setId, JudgeStatus),
  /** Stops the background work of a set until its next label or change. */
  cancel: call(setId, done),
  /**
   * Decided pairs on which the judge disagrees with this labeler, surest first, without the earlier decision.
   * A new decision on one takes it from this list.
   */
  disagreements: call(
    z.strictObject({
      setId: id,
      after: z.array(z.string()).max(1000).default([]).describe('Pairs that the page already holds.'),
      count: z.int().min(1).max(50).default(5),
      labeler: z.string().trim().min(1).max(80).default('me'),
    }),
    z.strictObject({ total: z.number(), pairs: z.array(PairShown) }),
  ),
};
