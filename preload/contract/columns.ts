import * as z from 'zod';
import { call, feed } from './define.ts';
import { CurationEvent } from './curation.ts';

const id = z.string().min(1);
const query = z.string().max(4000).default('');

/** A model of the workspace or a checkpoint. */
export const ColumnModel = z.strictObject({ kind: z.enum(['model', 'checkpoint']), id });
export type ColumnModel = z.infer<typeof ColumnModel>;

export const RewardChoice = z.strictObject({ id, params: z.record(z.string(), z.unknown()).default({}) });
const sampling = {
  model: ColumnModel,
  reward: RewardChoice,
  /** Answers to each prompt. */
  samples: z.int().min(1).max(256).default(4),
  temperature: z.number().min(0).max(5).default(1),
  maxTokens: z.int().min(1).max(8192).default(64),
  seed: z.int().min(0).max(0xffff_ffff).default(0),
} as const;

/** Definition of a column that is computed from each row. */
export const ColumnDefinition = z.discriminatedUnion('by', [
  z.strictObject({
    by: z.literal('code'),
    /** A JavaScript expression over `prompt`, `answer`, … or a function of the row. */
    code: z.string().trim().min(1).max(20_000),
    /** Processor time of one row. */
    timeMs: z.int().min(10).max(5000).default(200),
  }),
  z.strictObject({ by: z.literal('reward'), reward: RewardChoice }),
  /** Score of the answer by a reward model. */
  z.strictObject({ by: z.literal('model'), model: ColumnModel }),
  /** Perplexity of the answer after its prompt under a policy, end token included. */
  z.strictObject({ by: z.literal('perplexity'), model: ColumnModel }),
  /** Share of sampled answers to the prompt with reward 1, or the spread (sample deviation) of their rewards. */
  z.strictObject({ by: z.literal('pass-rate'), ...sampling }),
  z.strictObject({ by: z.literal('spread'), ...sampling }),
  /** Cluster of the row's text by k-means over hashed words. */
  z.strictObject({
    by: z.literal('cluster'),
    clusters: z.int().min(2).max(256).default(8),
    seed: z.int().min(0).max(0xffff_ffff).default(0),
  }),
  /** Place of the row's text in a plane; the column has two parts, `NAME.x` and `NAME.y`. */
  z.strictObject({ by: z.literal('map') }),
]);
export type ColumnDefinition = z.infer<typeof ColumnDefinition>;

export const ColumnCell = z.union([z.number(), z.string(), z.boolean(), z.null()]);

/** Rows without a cell because their computation failed, with the first reason. */
export const ColumnFaults = z.strictObject({
  count: z.number(),
  first: z.strictObject({ row: z.number(), message: z.string() }).nullable(),
});
export type ColumnFaults = z.infer<typeof ColumnFaults>;

export const ColumnProgress = z.discriminatedUnion('state', [
  z.strictObject({
    state: z.literal('computing'),
    done: z.number(),
    total: z.number(),
    secondsLeft: z.number().nullable(),
  }),
  z.strictObject({
    state: z.literal('done'),
    /** Null if no row has a cell. */
    event: CurationEvent.nullable(),
    rows: z.number(),
    faults: ColumnFaults,
    /** Cells left out because their rows were edited while the column was computed. */
    outdated: z.number(),
  }),
]);
export type ColumnProgress = z.infer<typeof ColumnProgress>;

export const columns = {
  /** The computed columns that hold. */
  list: call(
    z.strictObject({ id }),
    z.array(z.strictObject({ event: z.number(), name: z.string(), definition: ColumnDefinition })).readonly(),
  ),
  /** The cells of the first ten rows that match the query; nothing is stored. */
  preview: call(
    z.strictObject({ id, definition: ColumnDefinition, query }),
    z.strictObject({
      rows: z.array(
        z.strictObject({
          row: z.number(),
          prompt: z.string(),
          answer: z.string(),
          cell: ColumnCell,
          fault: z.string().nullable(),
        }),
      ),
    }),
  ),
  /**
   * Computes a column for the rows that match a query, and stores it in one step of curation. Closing the feed
   * cancels it, and nothing is stored.
   */
  compute: feed(
    z.strictObject({
      id,
      name: z
        .string()
        .trim()
        .min(1)
        .max(100)
        .regex(/^[^\p{Cc}]*$/u, 'a name of one line'),
      definition: ColumnDefinition,
      query,
      author: z.string().max(100).default(''),
    }),
    ColumnProgress,
  ),
};
