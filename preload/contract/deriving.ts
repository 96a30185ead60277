import * as z from 'zod';
import { CurationEvent } from './curation.ts';
import { Dataset } from './datasets.ts';
import { call, feed } from './define.ts';

const id = z.string().min(1);
const name = z.string().trim().min(1).max(200);
const author = z.string().max(100).default('');
const column = z.string().min(1).max(500);
const seed = z.int().min(0).max(0xffff_ffff).default(0);
/** Most rows of a derived dataset. */
const mostRows = 10_000_000;

/** Rows of a dataset: those that match a query, now or in a saved version; excluded rows are left out. */
export const RowSource = z.strictObject({
  datasetId: id,
  query: z.string().max(4000).default(''),
  version: z.string().min(1).max(100).optional(),
});
export type RowSource = z.infer<typeof RowSource>;

/** How a dataset is made from others. */
export const Recipe = z.discriminatedUnion('kind', [
  /** All rows of a source. `columns`: the extra columns to keep, else all. `marks`: tags, flags and splits too. */
  z.strictObject({
    kind: z.literal('query'),
    from: RowSource,
    columns: z.array(column).max(1000).optional(),
    marks: z.boolean().default(false),
  }),
  /**
   * A sample of a source's rows by the values of a column, or of all. `rows` is their number, or a share of
   * the source below 1. `given`: rows by value, instead of `rows`.
   */
  z.strictObject({
    kind: z.literal('sample'),
    from: RowSource,
    by: column.nullable().default(null),
    rows: z.union([z.int().min(1).max(mostRows), z.number().gt(0).lt(1)]).default(0.1),
    allocation: z.enum(['proportional', 'equal', 'given']).default('proportional'),
    given: z.record(z.string(), z.int().min(0).max(mostRows)).default({}),
    seed,
    marks: z.boolean().default(false),
  }),
  /**
   * Rows of several sources by weight, shuffled. `rows`: null for the most that needs no repetition. `column`:
   * the extra column that names each row's dataset.
   */
  z.strictObject({
    kind: z.literal('mixture'),
    from: z
      .array(RowSource.extend({ weight: z.number().positive().max(1e6) }))
      .min(1)
      .max(64),
    rows: z.int().min(1).max(mostRows).nullable().default(null),
    repeats: z.boolean().default(false),
    column: column.default('mixture'),
    seed,
  }),
]);
export type Recipe = z.infer<typeof Recipe>;

/** A dataset at one time: its newest step, a saved version with the same rows, and the hash of its rows. */
export const DatasetState = z.strictObject({
  datasetId: z.string(),
  name: z.string(),
  /** 0: as imported or made. */
  sequence: z.number(),
  version: z.string().nullable(),
  /** SHA-256 of its rows, as of `DatasetVersion`. */
  hash: z.string(),
  rows: z.number(),
});
export type DatasetState = z.infer<typeof DatasetState>;

/** The rows that a recipe would take, before anything is stored. */
export const RecipePlan = z.strictObject({
  rows: z.number(),
  sources: z.array(
    z.strictObject({
      datasetId: z.string(),
      name: z.string(),
      /** Rows that match. */
      size: z.number(),
      /** Rows by the weights, rows that are drawn, and how often each is, on average. */
      asked: z.number(),
      drawn: z.number(),
      times: z.number(),
    }),
  ),
  /** Of a sample by a column: each value, with its rows and those that are drawn; null: rows without a value. */
  strata: z.array(z.strictObject({ value: z.string().nullable(), size: z.number(), drawn: z.number() })),
  /** Sentences about what the result lacks or repeats. */
  notes: z.array(z.string()),
});
export type RecipePlan = z.infer<typeof RecipePlan>;

const Copying = z.strictObject({
  state: z.literal('copying'),
  done: z.number(),
  total: z.number(),
  secondsLeft: z.number().nullable(),
});
export const DerivingProgress = z.discriminatedUnion('state', [
  Copying,
  z.strictObject({ state: z.literal('done'), dataset: Dataset }),
]);
export type DerivingProgress = z.infer<typeof DerivingProgress>;

/** A derived dataset made again: the hash of its rows, and whether it is that of the stored recipe. */
export const Rebuilt = z.strictObject({ hash: z.string(), rows: z.number(), isSame: z.boolean() });
export const RebuildProgress = z.discriminatedUnion('state', [
  Copying,
  z.strictObject({ state: z.literal('done'), rebuilt: Rebuilt }),
]);
export type RebuildProgress = z.infer<typeof RebuildProgress>;

export const deriving = {
  /** The rows that a recipe takes, and what is worth knowing about them; stores nothing. */
  plan: call(z.strictObject({ recipe: Recipe }), RecipePlan),
  /** Makes a dataset, whole or not at all. Closing the feed cancels it. */
  make: feed(z.strictObject({ recipe: Recipe, name, author }), DerivingProgress),
  /** Tags the rows that a sample takes, in one step of the dataset; null if all of them have the tag. */
  tag: call(
    z.strictObject({ recipe: Recipe, tag: z.string().trim().min(1).max(100), author }),
    CurationEvent.nullable(),
  ),
  /**
   * Makes a derived dataset from its parents again, and compares the hash; stores nothing. Throws `not-found`
   * for a dataset that is not derived, and where a parent was removed.
   */
  rebuild: feed(z.strictObject({ id }), RebuildProgress),
  /** The rows as they are now, or as they were in a saved version. */
  state: call(z.strictObject({ id, version: z.string().min(1).max(100).optional() }), DatasetState),
};
