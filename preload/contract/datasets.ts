import * as z from 'zod';
import { Message } from '../../engine/schema/conversation.ts';
import { Mapping } from '../../engine/schema/mapping.ts';
import { before, call, done, feed } from './define.ts';

/** A line that could not be read, with the reason. */
export const Rejected = z.strictObject({ line: z.number(), reason: z.string(), text: z.string() });
export type Rejected = z.infer<typeof Rejected>;

/** Use of a column: in how many records it was used, kept with the row, or empty and left out. */
export const Column = z.strictObject({
  name: z.string(),
  /** The field it was used as; null if no record used it. */
  as: z.string().nullable(),
  used: z.number(),
  kept: z.number(),
  empty: z.number(),
});
export type Column = z.infer<typeof Column>;

/** Findings of the import about the file. */
export const Doctor = z.strictObject({
  format: z.string(),
  why: z.string(),
  rows: z.number(),
  rejected: z.number(),
  /** Of these, pairs without one of the answers, which never refuse an import; earlier versions did not count. */
  aside: z.number().optional(),
  prompts: z.number(),
  answers: z.number(),
  /** Number of answers marked right, marked wrong and unmarked. */
  correct: z.number(),
  wrong: z.number(),
  unmarked: z.number(),
  duplicates: z.number(),
  /**
   * Number of pairs of one right and one wrong answer to the same prompt, and how often the longer (shorter)
   * one is right; null without pairs.
   */
  pairs: z.number(),
  promptsWithPairs: z.number(),
  longestWins: z.number().nullable(),
  shortestWins: z.number().nullable(),
  meanAnswerCharacters: z.number(),
  /** Number of rows with a reference, and the reward that suits them. */
  references: z.number(),
  verifier: z.string().nullable(),
  /** Used columns first; empty for imports by versions that did not report columns. */
  columns: z.array(Column).readonly(),
});
export type Doctor = z.infer<typeof Doctor>;

export const Dataset = z.strictObject({
  id: z.string(),
  name: z.string(),
  source: z.string(),
  hash: z.string(),
  createdAt: z.number(),
  rows: z.number(),
  /** Findings of the import: they do not follow later changes of the rows. */
  doctor: Doctor,
  /** True if rows were changed after the import. */
  curated: z.boolean().optional(),
  /** Names of its saved versions, newest first, and of the parts of its splits; absent if there are none. */
  versions: z.array(z.string()).optional(),
  parts: z.array(z.string()).optional(),
});
export type Dataset = z.infer<typeof Dataset>;

/** One answer to one prompt. */
export const DatasetRow = z.strictObject({
  row: z.number(),
  line: z.number(),
  promptId: z.string(),
  prompt: z.string(),
  answer: z.string(),
  reference: z.string().nullable(),
  correct: z.boolean().nullable(),
  source: z.string(),
  /** The whole conversation, if the row is one; prompt and answer are derived from it. */
  messages: z.array(Message).optional(),
  /** The record's other columns, by name. */
  extra: z.record(z.string(), z.unknown()).optional(),
});
export type DatasetRow = z.infer<typeof DatasetRow>;

const Reading = z.strictObject({
  state: z.literal('reading'),
  bytes: z.number(),
  totalBytes: z.number(),
  rows: z.number(),
  secondsLeft: z.number().nullable(),
});

export const ImportProgress = z.discriminatedUnion('state', [
  Reading,
  z.strictObject({ state: z.literal('done'), dataset: Dataset }),
]);
export type ImportProgress = z.infer<typeof ImportProgress>;

/**
 * Preview of an import, before anything is stored; `rejected` holds the first unreadable lines,
 * `doctor.rejected` counts them all.
 */
export const ImportPreview = z.strictObject({
  path: z.string(),
  name: z.string(),
  doctor: Doctor,
  rejected: z.array(Rejected),
});
export type ImportPreview = z.infer<typeof ImportPreview>;
export const PreviewProgress = z.discriminatedUnion('state', [
  Reading,
  z.strictObject({ state: z.literal('done'), preview: ImportPreview }),
]);
export type PreviewProgress = z.infer<typeof PreviewProgress>;

const id = z.string().min(1);
const offset = z.int().min(0).optional();

export const datasets = {
  /**
   * Reads a whole file as `import` would and stores nothing: reports which columns are used, kept or left
   * out, which lines cannot be read, and the doctor's findings. Closing the feed cancels it.
   */
  preview: feed(z.strictObject({ path: z.string().min(1), mapping: Mapping.optional() }), PreviewProgress),
  /** Columns of a file's first records with an example each, to map them by hand. */
  columns: call(
    z.strictObject({ path: z.string().min(1) }),
    z.array(z.strictObject({ name: z.string(), example: z.string() })).readonly(),
  ),
  /**
   * Imports a file or a folder of the machine that runs the services, in one transaction. Unreadable lines refuse the
   * import unless `keepGoodLines` is set. Closing the feed cancels it.
   */
  import: feed(
    z.strictObject({
      path: z.string().min(1),
      name: z.string().max(200).default(''),
      keepGoodLines: z.boolean().default(false),
      /** Columns chosen by hand, instead of a detected layout. */
      mapping: Mapping.optional(),
    }),
    ImportProgress,
  ),
  /**
   * For a page that has a file but no path (a browser): stores it in the workspace and returns a path to
   * import.
   */
  upload: call(
    z.strictObject({ name: z.string().min(1).max(200), bytes: z.instanceof(Uint8Array) }),
    z.strictObject({ path: z.string() }),
  ),
  /** The newest 1,000; with `before`, the id of a dataset, the 1,000 that precede it. */
  list: call(z.strictObject({ before }), z.array(Dataset)),
  get: call(z.strictObject({ id }), Dataset),
  /** Returns fewer rows than requested if texts are long. */
  rows: call(
    z.strictObject({
      id,
      offset: z.int().min(0),
      limit: z.int().min(1).max(500),
      search: z.string().default(''),
      show: z.enum(['all', 'correct', 'wrong', 'unmarked']).default('all'),
    }),
    z.strictObject({ total: z.number(), rows: z.array(DatasetRow) }),
  ),
  /** Answers to one prompt, starting at `offset`, at most 1,000. */
  prompt: call(z.strictObject({ id, promptId: z.string(), offset }), z.array(DatasetRow)),
  /** Rejected lines, starting at `offset`, at most 1,000. */
  rejected: call(z.strictObject({ id, offset }), z.array(Rejected)),
  rename: call(z.strictObject({ id, name: z.string().min(1).max(200) }), done),
  remove: call(z.strictObject({ id }), done),
};
