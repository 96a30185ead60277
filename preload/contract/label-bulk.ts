import * as z from 'zod';
import { call } from './define.ts';
import { Choice, Progress } from './labels.ts';

const setId = z.string().min(1);
const labeler = z.string().trim().min(1).max(80).default('me');
const positions = z.array(z.int().min(0)).min(1).max(100_000);

/** `open`: wants the labeler's decision; `mine`: has one of the labeler. */
export const BulkState = z.enum(['open', 'mine', 'all']);
export type BulkState = z.infer<typeof BulkState>;

/** An item in the list for quick passes, as blind as on the labeling screen; long texts are clipped. */
export const BulkItem = z.strictObject({
  position: z.number(),
  prompt: z.string(),
  /** In the order in which they are shown. */
  answers: z.array(z.string()),
  /** The labeler's own decision. */
  choice: Choice.nullable(),
  value: z.unknown().optional(),
});
export type BulkItem = z.infer<typeof BulkItem>;

export const labelBulk = {
  /** Positions of the items with a text in prompt or answers, in the order of the set. */
  find: call(
    z.strictObject({
      setId,
      labeler,
      text: z.string().max(200).default(''),
      state: BulkState.default('open'),
    }),
    z.array(z.number()),
  ),
  items: call(z.strictObject({ setId, labeler, positions: positions.max(200) }), z.array(BulkItem)),
  /**
   * The same decision by side on many items, each stored as an event of its own; all are checked before the
   * first is stored. Resolves once they are on disk. `sequences` names the events for `undo`.
   */
  decide: call(
    z.strictObject({ setId, labeler, positions, choice: Choice, value: z.unknown().optional() }),
    z.strictObject({ sequences: z.array(z.number()), progress: Progress }),
  ),
  /** Takes the decisions of one action back; those that were changed since stay. */
  undo: call(
    z.strictObject({ setId, labeler, sequences: z.array(z.int().min(0)).min(1).max(100_000) }),
    z.strictObject({ undone: z.number(), progress: Progress }),
  ),
};
