import * as z from 'zod';
import { sampleViews } from '../wire/sample-query.ts';
import { call, feed, real } from './define.ts';
import { Facet } from './rows.ts';
import { Sample } from './runs.ts';

const id = z.string().min(1);
const runIds = z.array(id).min(1).max(16);
const query = z.string().max(4000).default('');

/** Most answers that a call names by id. */
const mostIds = 10_000;

export const SampleSort = z.strictObject({
  by: z.string().min(1).max(500),
  against: z.string().min(1).max(500).optional(),
  descending: z.boolean(),
});

/** An answer in the browser. */
export const BrowsedSample = Sample.extend({
  temperature: z.number(),
  promptTokens: z.number(),
  /** True if a later attempt repeated its step, so that it did not count. */
  superseded: z.boolean(),
  correct: z.boolean().nullable(),
  /**
   * The number that orders it: of several equal answers their mean. By disagreement, the first percentile rank
   * minus the second.
   */
  key: real.nullable(),
  /** Number of equal answers to the prompt among the matching ones, in the view `distinct`; else 1. */
  copies: z.number(),
});
export type BrowsedSample = z.infer<typeof BrowsedSample>;

/** The matching answers to one prompt. */
export const PromptGroup = z.strictObject({
  promptId: z.string(),
  prompt: z.string(),
  answers: z.number(),
  /** Different texts among them. */
  distinct: z.number(),
  right: z.number(),
  wrong: z.number(),
  /** Mean of the number that orders the prompts; NaN if no answer has it. */
  mean: real.nullable(),
});
export type PromptGroup = z.infer<typeof PromptGroup>;

export const IndexProgress = z.strictObject({ done: z.number(), total: z.number() });
export type IndexProgress = z.infer<typeof IndexProgress>;

export const SamplePage = z.strictObject({
  /** Null until all answers are counted. */
  total: z.number().nullable(),
  more: z.boolean(),
  /** Number of answers of each run, for the pages that follow; empty until they are counted. */
  asOf: z.array(z.number()),
  samples: z.array(BrowsedSample),
  prompts: z.array(PromptGroup),
});
export type SamplePage = z.infer<typeof SamplePage>;

/** Answers of runs that match. */
export const SampleSelection = z.strictObject({
  runIds,
  query,
  sort: SampleSort.nullable().default(null),
  view: z.enum(sampleViews).default('answers'),
  /** Only answers to this prompt. */
  promptId: z.string().nullable().default(null),
  /** Only answers equal to this one, to the same prompt. */
  equalTo: id.nullable().default(null),
  /** Only these answers. */
  ids: z.array(id).min(1).max(mostIds).nullable().default(null),
});
export type SampleSelection = z.infer<typeof SampleSelection>;

/** A token of an answer, as it was sampled and as a checkpoint sees it; log-probabilities and entropies in nats. */
export const SampleToken = z.strictObject({
  text: z.string(),
  /** True if it ends the answer. */
  ends: z.boolean(),
  /** Its log-probability when it was sampled; of a token by another author than the model it is 0. */
  sampled: real,
  /** Its log-probability under the checkpoint, at the temperature of the sampling. */
  logp: real,
  entropy: real,
});
export type SampleToken = z.infer<typeof SampleToken>;
export const SampleTokens = z.strictObject({
  checkpointId: z.string(),
  /** Steps of the checkpoint and of the answer. */
  checkpointStep: z.number(),
  step: z.number(),
  tokens: z.array(SampleToken),
});
export type SampleTokens = z.infer<typeof SampleTokens>;

export const samples = {
  /**
   * Answers of runs that match a query, newest first or sorted; fewer than requested if texts are long. Those
   * that a later attempt repeated are left out unless the query names them. `view`: each by itself, equal
   * answers to a prompt once, or by prompt. Throws `invalid-input` with the faulty term in `where`.
   */
  page: call(
    SampleSelection.extend({
      /** Number of answers of each run that are looked at, in the order of `runIds`: newer ones are left out. */
      asOf: z.array(z.number()).max(16).nullable().default(null),
      offset: z.int().min(0).default(0),
      limit: z.int().min(1).max(500).default(50),
    }),
    SamplePage,
  ),
  /** The number of answers that match, how they are distributed over the columns, and the scores they have. */
  facets: call(
    z.strictObject({ runIds, query }),
    z.strictObject({ total: z.number(), scores: z.array(z.string()), facets: z.array(Facet).readonly() }),
  ),
  /** True if columns of many answers are still to be derived, which `index` does. */
  pending: call(z.strictObject({ runIds }), z.strictObject({ answers: z.number(), texts: z.number() })),
  /**
   * The tokens of an answer under a checkpoint: by default that of its run whose step is nearest, the later of
   * two. Throws `not-found` if the run has none.
   */
  tokens: call(z.strictObject({ id, checkpointId: id.nullable().default(null) }), SampleTokens),
  /**
   * Derives the columns of the answers, and with `texts` the full-text index; queries are slow before. Runs
   * that still go on are left without the latter. Closing the feed stops it; what is derived stays.
   */
  index: feed(z.strictObject({ runIds, texts: z.boolean().default(false) }), IndexProgress),
};
