import * as z from 'zod';
import { ColumnDefinition } from './columns.ts';
import { call } from './define.ts';

const id = z.string().min(1);
const name = z.string().trim().min(1).max(100);

/** An immutable state of a dataset: its imported file and the steps of its curation up to `sequence`. */
export const DatasetVersion = z.strictObject({
  id: z.string(),
  datasetId: z.string(),
  name: z.string(),
  /** The newest step that is part of it; 0: as imported. */
  sequence: z.number(),
  /** SHA-256 of its rows. */
  hash: z.string(),
  rows: z.number(),
  author: z.string(),
  createdAt: z.number(),
  /** The hash of the imported file, and the steps that held, in their order: what it is rebuilt from. */
  recipe: z.strictObject({
    file: z.string(),
    steps: z.array(z.number()),
    /** The computed columns among the steps, with their definitions. */
    columns: z
      .array(z.strictObject({ event: z.number(), name: z.string(), definition: ColumnDefinition }))
      .optional(),
  }),
});
export type DatasetVersion = z.infer<typeof DatasetVersion>;

export const VersionDifference = z.strictObject({
  row: z.number(),
  change: z.enum(['added', 'removed', 'changed']),
  cells: z.array(
    z.strictObject({ field: z.string(), before: z.string().nullable(), after: z.string().nullable() }),
  ),
});
export type VersionDifference = z.infer<typeof VersionDifference>;

export const versions = {
  /** Saves the rows as they are now. Throws `conflict` if the dataset has a version of this name. */
  save: call(z.strictObject({ id, name, author: z.string().max(100).default('') }), DatasetVersion),
  /** The versions of a dataset, newest first. */
  list: call(z.strictObject({ id }), z.array(DatasetVersion)),
  /** Builds a version from its recipe, and compares the hash of its rows with the saved one. */
  rebuild: call(
    z.strictObject({ id, name }),
    z.strictObject({ hash: z.string(), rows: z.number(), isSame: z.boolean() }),
  ),
  /**
   * Rows that differ between two versions, at most 500 from `offset` on; without `to`, between a version and
   * the rows as they are now.
   */
  diff: call(
    z.strictObject({ id, from: name, to: name.optional(), offset: z.int().min(0).default(0) }),
    z.strictObject({
      added: z.number(),
      removed: z.number(),
      changed: z.number(),
      rows: z.array(VersionDifference),
    }),
  ),
};
