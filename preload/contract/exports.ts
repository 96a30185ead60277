import * as z from 'zod';
import { ModeId } from '../../engine/schema/labeling/index.ts';
import { call, feed, nothing } from './define.ts';

const id = z.string().min(1);

/** A format of exports. */
export const ExportFormat = z.strictObject({
  id: z.string(),
  title: z.string(),
  /** The usual ending of its files, with the dot. */
  extension: z.string(),
  /** Its sources: rows of a dataset, pairs of a dataset, or a label set. */
  from: z.array(z.enum(['rows', 'pairs', 'label-set'])),
  /** Modes of label sets whose single answers it takes, instead of the pairs that they imply. */
  answers: z.array(ModeId).optional(),
  /** The loss of each item, as one sentence. */
  cannotHold: z.string(),
});
export type ExportFormat = z.infer<typeof ExportFormat>;

export const ExportSource = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('dataset'), id }),
  z.strictObject({ kind: z.literal('label-set'), id }),
]);
export type ExportSource = z.infer<typeof ExportSource>;

/** A finished export. `leftOut`: items that the format cannot hold, by reason in the plural ("ties"). */
export const ExportResult = z.strictObject({
  path: z.string(),
  records: z.number(),
  leftOut: z.array(z.strictObject({ what: z.string(), count: z.number() })),
  cannotHold: z.string(),
});
export type ExportResult = z.infer<typeof ExportResult>;

export const FileProgress = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('writing'), records: z.number() }),
  z.strictObject({ state: z.literal('done'), result: ExportResult }),
]);
export type FileProgress = z.infer<typeof FileProgress>;

export const exports = {
  /** Every format, the ones without loss first. */
  formats: call(nothing, z.array(ExportFormat)),
  /**
   * Writes a dataset or a label set as a file of the machine that runs the services, whole or not at all.
   * Closing the feed cancels it.
   */
  write: feed(
    z.strictObject({ from: ExportSource, format: z.string().min(1), path: z.string().min(1) }),
    FileProgress,
  ),
};
