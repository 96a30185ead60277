import { z } from 'zod';
import { Message } from '../../engine/schema/conversation.ts';
import { call, done, feed, nothing } from './define.ts';

/** A line that could not be read, kept aside with its reason. */
export const Rejected = z.strictObject({ line: z.number(), reason: z.string(), text: z.string() });
export type Rejected = z.infer<typeof Rejected>;

/** What the import found out about the file. */
export const Doctor = z.strictObject({
  format: z.string(),
  why: z.string(),
  rows: z.number(),
  rejected: z.number(),
  prompts: z.number(),
  answers: z.number(),
  /** Answers by mark: right, wrong, unmarked. */
  correct: z.number(), wrong: z.number(), unmarked: z.number(),
  duplicates: z.number(),
  /** Pairs of one right and one wrong answer to the same prompt, and how often the longer (shorter) one is right; null without pairs. */
  pairs: z.number(), promptsWithPairs: z.number(),
  longestWins: z.number().nullable(), shortestWins: z.number().nullable(),
  meanAnswerCharacters: z.number(),
  /** Rows with a reference, and the reward that suits them. */
  references: z.number(), verifier: z.string().nullable(),
});
export type Doctor = z.infer<typeof Doctor>;

export const Dataset = z.strictObject({
  id: z.string(), name: z.string(), source: z.string(), hash: z.string(), createdAt: z.number(), rows: z.number(), doctor: Doctor,
});
export type Dataset = z.infer<typeof Dataset>;

/** One answer to one prompt. */
export const DatasetRow = z.strictObject({
  row: z.number(), line: z.number(), promptId: z.string(), prompt: z.string(), answer: z.string(),
  reference: z.string().nullable(), correct: z.boolean().nullable(), source: z.string(),
  /** The whole conversation, where the row is one: prompt and answer stand for it. */
  messages: z.array(Message).optional(),
});
export type DatasetRow = z.infer<typeof DatasetRow>;

export const ImportProgress = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('reading'), bytes: z.number(), totalBytes: z.number(), rows: z.number(), secondsLeft: z.number().nullable() }),
  z.strictObject({ state: z.literal('done'), dataset: Dataset }),
]);
export type ImportProgress = z.infer<typeof ImportProgress>;

const id = z.string().min(1);

export const datasets = {
  /**
   * Reads a file of the machine that runs the services; all or nothing. Broken lines refuse the import unless `keepGoodLines` is set.
   * Letting go of the feed cancels the import.
   */
  import: feed(z.strictObject({ path: z.string().min(1), name: z.string().max(200).default(''), keepGoodLines: z.boolean().default(false) }), ImportProgress),
  /** For a page that has a file but no path (a browser): keeps it under the workspace and answers with a path to import. */
  upload: call(z.strictObject({ name: z.string().min(1).max(200), bytes: z.instanceof(Uint8Array) }), z.strictObject({ path: z.string() })),
  list: call(nothing, z.array(Dataset)),
  get: call(z.strictObject({ id }), Dataset),
  rows: call(z.strictObject({
    id, offset: z.int().min(0), limit: z.int().min(1).max(500),
    search: z.string().default(''), show: z.enum(['all', 'correct', 'wrong', 'unmarked']).default('all'),
  }), z.strictObject({ total: z.number(), rows: z.array(DatasetRow) })),
  /** Every answer to one prompt. */
  prompt: call(z.strictObject({ id, promptId: z.string() }), z.array(DatasetRow)),
  rejected: call(z.strictObject({ id }), z.array(Rejected)),
  rename: call(z.strictObject({ id, name: z.string().min(1).max(200) }), done),
  remove: call(z.strictObject({ id }), done),
};
