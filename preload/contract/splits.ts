import * as z from 'zod';
import { CurationEvent } from './curation.ts';
import { call } from './define.ts';

const id = z.string().min(1);
const label = z
  .string()
  .trim()
  .min(1)
  .max(60)
  .regex(/^[^\p{Cc}:"]*$/u, 'a name of one line, without colons and quotes');

const seed = z.int().min(0).max(0xffff_ffff);
const key = z.string().min(1).max(500);
const parts = z
  .array(z.strictObject({ name: label, weight: z.number().positive().max(1e6) }))
  .min(1)
  .max(100)
  .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'two parts have one name');

/**
 * A division of a dataset's rows into parts. Rows with the same key are in the same part: `prompt`, a column,
 * or `near-duplicates`, clusters of nearly equal prompts. `stratify`: a column of whose values each part has
 * its share; null: none.
 */
export const SplitSpec = z.strictObject({
  name: label.default('split'),
  seed: seed.default(0),
  by: key.default('prompt'),
  parts,
  stratify: key.nullable().default(null),
});
export type SplitSpec = z.infer<typeof SplitSpec>;

export const Split = z.strictObject({
  spec: z.strictObject({ name: label, seed, by: key, parts, stratify: key.nullable() }),
  /** The step that made it. */
  sequence: z.number(),
  author: z.string(),
  at: z.number(),
  /** Rows of each part, those that are excluded left out. */
  parts: z.array(z.strictObject({ name: z.string(), rows: z.number() })),
  /** Rows in no part: added, or imported, since. */
  unassigned: z.number(),
});
export type Split = z.infer<typeof Split>;

/** Rows that are in more than one part of a split, by what they share. */
export const SplitLeakage = z.strictObject({
  /** Keys that are in more than one part: 0, unless rows were edited. */
  keys: z.number(),
  /** Groups of prompts in more than one part that are equal, or nearly so, after normalisation. */
  equal: z.number(),
  near: z.number(),
  /** The first of these groups: row numbers by part. */
  groups: z.array(
    z.strictObject({
      isEqual: z.boolean(),
      parts: z.array(z.strictObject({ name: z.string(), rows: z.array(z.number()) })),
    }),
  ),
});
export type SplitLeakage = z.infer<typeof SplitLeakage>;

export const splits = {
  /** Splits that are in force; one whose step is undone is not. */
  list: call(z.strictObject({ id }), z.array(Split)),
  /**
   * Assigns all rows in one step. A split of the same name is replaced; the same one again only assigns the
   * rows that are in no part. Null if no row has to change. Throws `conflict` if a part is one of another split.
   */
  make: call(
    z.strictObject({ id, split: SplitSpec, author: z.string().max(100).default('') }),
    CurationEvent.nullable(),
  ),
  /** Looks for the same and nearly the same prompts in several parts. Takes seconds for 100,000 prompts. */
  leakage: call(z.strictObject({ id, name: label }), SplitLeakage),
};
