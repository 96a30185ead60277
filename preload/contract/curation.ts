import * as z from 'zod';
import { call, done, feed } from './define.ts';

const id = z.string().min(1);
const mark = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^\p{Cc}]*$/u, 'a name of one line');
const author = z.string().max(100).default('');

/** Rows by number, or all that match a query. */
export const RowTarget = z.union([
  z.strictObject({ rows: z.array(z.int().min(0)).min(1).max(10_000) }),
  z.strictObject({ query: z.string().max(4000) }),
]);
export type RowTarget = z.infer<typeof RowTarget>;

/** A change of rows. An edited cell is a text, a number, or whether the answer is right; null empties it. */
export const RowChange = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['exclude', 'restore']) }),
  z.strictObject({ kind: z.enum(['tag', 'untag', 'flag', 'unflag']), value: mark }),
  z.strictObject({ kind: z.literal('note'), value: z.string().max(10_000) }),
  z.strictObject({
    kind: z.literal('edit'),
    /** `prompt`, `answer`, `reference`, `mark`, or a column of the file. */
    column: z.string().min(1).max(500),
    value: z.union([z.string().max(1_000_000), z.number(), z.boolean(), z.null()]),
  }),
]);
export type RowChange = z.infer<typeof RowChange>;

export const curationEvents = [
  'exclude',
  'restore',
  'tag',
  'untag',
  'flag',
  'unflag',
  'split',
  'note',
  'edit',
  'add',
  'undo',
  'redo',
] as const;

/** One step of a dataset's history. */
export const CurationEvent = z.strictObject({
  sequence: z.number(),
  event: z.enum(curationEvents),
  /** The edited column. */
  field: z.string().nullable(),
  /** The tag, flag, note or new value. */
  value: z.string().nullable(),
  /** The step that an undo or redo concerns. */
  undoes: z.number().nullable(),
  author: z.string(),
  at: z.number(),
  query: z.string().nullable(),
  /** Number of rows that it changed. */
  rows: z.number(),
  /** True if it holds, is undone, or is itself an undo or redo. */
  state: z.enum(['applied', 'undone', 'step']),
});
export type CurationEvent = z.infer<typeof CurationEvent>;

/** The effect of an event on one row. */
export const RowStep = CurationEvent.extend({
  cells: z.array(
    z.strictObject({ field: z.string(), before: z.string().nullable(), after: z.string().nullable() }),
  ),
});
export type RowStep = z.infer<typeof RowStep>;

export const CurationProgress = z.discriminatedUnion('state', [
  z.strictObject({
    state: z.literal('changing'),
    done: z.number(),
    total: z.number(),
    secondsLeft: z.number().nullable(),
  }),
  /** `event` is null if no row had to change. */
  z.strictObject({ state: z.literal('done'), event: CurationEvent.nullable() }),
]);
export type CurationProgress = z.infer<typeof CurationProgress>;

export const NewRow = z.strictObject({
  prompt: z.string().min(1).max(1_000_000),
  answer: z.string().max(1_000_000),
  reference: z.string().max(1_000_000).nullable().default(null),
  correct: z.boolean().nullable().default(null),
  source: z.string().max(500).default('by hand'),
});
export type NewRow = z.infer<typeof NewRow>;

export const curation = {
  /** Changes rows in one step that can be undone. Closing the feed cancels it, and leaves no part of it. */
  change: feed(z.strictObject({ id, target: RowTarget, change: RowChange, author }), CurationProgress),
  /** Undoes the last step, or repeats the last undone one. Throws `not-found` if there is none. */
  undo: feed(z.strictObject({ id, author }), CurationProgress),
  redo: feed(z.strictObject({ id, author }), CurationProgress),
  /** Resolves when no change of the dataset is running: one that was cancelled has been taken back. */
  settle: call(z.strictObject({ id }), done),
  /** Adds a row written by hand; returns its number. */
  add: call(z.strictObject({ id, row: NewRow, author }), z.strictObject({ row: z.number() })),
  /** Steps, newest first, at most 500; `before`: those older than this one. */
  history: call(z.strictObject({ id, before: z.int().min(1).optional() }), z.array(CurationEvent)),
  /** The steps that changed this row, newest first. */
  row: call(z.strictObject({ id, row: z.int().min(0) }), z.array(RowStep)),
};
