import * as z from 'zod';
import { call, feed } from './define.ts';

const Refused = z.strictObject({ line: z.number(), reason: z.string() });
export type Refused = z.infer<typeof Refused>;
/** Labels that are not stored: their number, and the first of them. */
const Aside = z.strictObject({ count: z.number(), first: z.array(Refused) });

/** What a file of labels gives for a set. */
export const LabelImport = z.strictObject({
  /** Labels in the file. */
  labels: z.number(),
  /** Labels that are new to the set; stored, unless this is a preview. */
  added: z.number(),
  stored: z.boolean(),
  /** Labels that the set already has. */
  already: z.number(),
  /** Labels whose prompt and answers no item has. */
  unmatched: Aside,
  /** Labels of a labeler who decided otherwise about the item; none of them is stored. */
  contradictory: Aside,
  /** Lines that hold no label, and values that do not fit the mode. */
  invalid: Aside,
  /** The labelers of the new labels. */
  labelers: z.array(z.string()),
});
export type LabelImport = z.infer<typeof LabelImport>;

export const ImportProgress = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('reading'), labels: z.number() }),
  z.strictObject({ state: z.literal('done'), result: LabelImport }),
]);
export type ImportProgress = z.infer<typeof ImportProgress>;

/** An import whose labels are stored. */
export const StoredImport = z.strictObject({
  id: z.string(),
  at: z.number(),
  /** Name of the file. */
  source: z.string(),
  labels: z.number(),
  /** Labels that were not taken back. */
  left: z.number(),
});
export type StoredImport = z.infer<typeof StoredImport>;

export const labelImport = {
  /**
   * Reads the labels of a file of the machine that runs the services, matches them to the items of a set,
   * and stores the new ones as events, with their labelers and times. All are checked before the first is
   * stored, and they become one import, all or none; closing the feed before that cancels it. `as`: the
   * labeler of all labels; `isPreview`: store none.
   */
  run: feed(
    z.strictObject({
      setId: z.string().min(1),
      path: z.string().min(1),
      as: z.string().trim().min(1).max(80).optional(),
      isPreview: z.boolean().default(false),
    }),
    ImportProgress,
  ),
  /** The imports of a set, newest first. */
  list: call(z.strictObject({ setId: z.string().min(1) }), z.array(StoredImport)),
  /**
   * Takes the labels of an import back, all of them together; decisions that labelers made by hand since stay.
   * Their undo passes imported labels over.
   */
  remove: call(
    z.strictObject({ setId: z.string().min(1), importId: z.string().min(1) }),
    z.strictObject({ removed: z.number() }),
  ),
};
