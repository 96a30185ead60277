import * as z from 'zod';
import { OperatorSpec } from '../../engine/schema/plan.ts';
import { ColumnModel, RewardChoice } from './columns.ts';
import { Dataset } from './datasets.ts';
import { SampleSelection } from './samples.ts';
import { call, done, feed, nothing } from './define.ts';

const id = z.string().min(1);

const ofRun = z.strictObject({
  kind: z.literal('run'),
  runId: id,
  /** Without it, answers of every purpose. */
  purpose: z.enum(['train', 'evaluation', 'sample']).optional(),
});
/** Answers of runs that match a query, in its order; in the view `distinct`, equal ones once. */
const ofSamples = SampleSelection.extend({
  kind: z.literal('samples'),
  view: z.enum(['answers', 'distinct']).default('answers'),
});

/** Answers of runs that are stored. */
export const StoredAnswers = z.discriminatedUnion('kind', [ofRun, ofSamples]);

/** Answers of runs that are stored, or of a model to the prompts of a dataset. */
export const AnswersFrom = z.discriminatedUnion('kind', [
  ofRun,
  ofSamples,
  z.strictObject({
    kind: z.literal('model'),
    model: ColumnModel,
    /** The dataset whose prompts are answered, each once, and the query that chooses its rows. */
    datasetId: id,
    query: z.string().max(4000).default(''),
    samples: z.int().min(1).max(256).default(1),
    temperature: z.number().min(0).max(5).default(1),
    maxTokens: z.int().min(1).max(8192).default(64),
    seed: z.int().min(0).max(0xffff_ffff).default(0),
    /** A reward of the answers; 1 marks them right, 0 wrong. */
    reward: RewardChoice.optional(),
  }),
]);
export type AnswersFrom = z.infer<typeof AnswersFrom>;

export const AnswersProgress = z.discriminatedUnion('state', [
  z.strictObject({
    state: z.literal('saving'),
    /** Answers of a run, or prompts answered by a model. */
    done: z.number(),
    total: z.number(),
    secondsLeft: z.number().nullable(),
  }),
  z.strictObject({
    state: z.literal('done'),
    dataset: Dataset,
    scoringFaults: z.number(),
    /** Prompts that the model cannot answer: their number, and rows (from 0) of the first ones. */
    leftOut: z.strictObject({
      count: z.number(),
      first: z.array(z.strictObject({ row: z.number(), message: z.string() })),
    }),
  }),
]);
export type AnswersProgress = z.infer<typeof AnswersProgress>;

/** Prompts of stored answers, counted by the answer that rows with attempts would learn. */
export const ShowableAnswers = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('reading'), done: z.number(), total: z.number() }),
  z.strictObject({
    state: z.literal('done'),
    answers: z.number(),
    /** Of those, answers of evaluations, to held-out problems. */
    evaluated: z.number(),
    /** How a row may show an attempt, with a mark behind it that the answers or prompts have too. */
    attempt: z.string(),
    /**
     * Numbers of prompts by their number of answers, and by what their rows would learn: a right answer among
     * these, the reference that the task gives, or none.
     */
    prompts: z.array(
      z.strictObject({
        target: z.enum(['sampled', 'reference', 'none']),
        answers: z.number(),
        prompts: z.number(),
      }),
    ),
  }),
]);
export type ShowableAnswers = z.infer<typeof ShowableAnswers>;

export const answers = {
  /**
   * Saves answers as a new dataset, with their rewards and provenance. Closing the feed cancels it: with
   * `keep: 'done'` the answers made so far become the dataset, which its name says; else nothing is kept.
   * With operators, those of a plan's data, the rows that they make of all answers are saved; an error names
   * their place.
   */
  save: feed(
    z.strictObject({
      from: AnswersFrom,
      name: z.string().trim().min(1).max(200),
      keep: z.enum(['nothing', 'done']).default('nothing'),
      operators: z.array(OperatorSpec).max(16).default([]),
    }),
    AnswersProgress,
  ),
  /** Counts the prompts of stored answers by what rows that show them would learn, and stores nothing. */
  showable: feed(z.strictObject({ from: StoredAnswers }), ShowableAnswers),
  /** Resolves when no answers are being saved, after a cancellation too. */
  settle: call(nothing, done),
};
