import * as z from 'zod';
import { curveFormatIds } from '../wire/log-tools.ts';
import { call, feed } from './define.ts';
import { ToolId } from './log-origin.ts';
import { Run } from './runs.ts';

export { ToolId } from './log-origin.ts';

const path = z.string().min(1);

/** A run that a file or folder holds. `key` names it in an import of the same path. */
export const FoundLog = z.strictObject({
  key: z.string(),
  tool: ToolId,
  name: z.string(),
  path: z.string(),
  files: z.number(),
  bytes: z.number(),
});
export type FoundLog = z.infer<typeof FoundLog>;

/** A run that was left out, with the reason as one sentence. */
const LeftOut = z.strictObject({ name: z.string(), path: z.string(), reason: z.string() });

export const LogImportResult = z.strictObject({ runs: z.array(Run), leftOut: z.array(LeftOut) });
export type LogImportResult = z.infer<typeof LogImportResult>;

export const LogImportProgress = z.discriminatedUnion('state', [
  z.strictObject({
    state: z.literal('reading'),
    /** The run that is being read, and its place among all, from 1. */
    name: z.string(),
    run: z.number(),
    runs: z.number(),
    bytes: z.number(),
    totalBytes: z.number(),
    points: z.number(),
  }),
  z.strictObject({ state: z.literal('done'), result: LogImportResult }),
]);
export type LogImportProgress = z.infer<typeof LogImportProgress>;

export const CurveExportResult = z.strictObject({
  path: z.string(),
  runs: z.number(),
  points: z.number(),
  cannotHold: z.string(),
});
export type CurveExportResult = z.infer<typeof CurveExportResult>;

export const CurveExportProgress = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('writing'), points: z.number(), totalPoints: z.number() }),
  z.strictObject({ state: z.literal('done'), result: CurveExportResult }),
]);
export type CurveExportProgress = z.infer<typeof CurveExportProgress>;

export const logs = {
  /** The runs of a log file, or of a folder with all below it. Reads the beginnings of files, and stores nothing. */
  find: call(z.strictObject({ path }), z.array(FoundLog)),
  /**
   * Imports the runs of a file or folder (those of `keys`, or all): all of them, or none after an error. A run
   * that the workspace has is left out and said; if it has every one, the import is refused (`conflict`). Closing
   * the feed cancels it.
   */
  import: feed(
    z.strictObject({
      path,
      /** The run's name, where there is one; the beginning of their names, where there are several. */
      name: z.string().max(200).default(''),
      keys: z.array(z.string()).min(1).optional(),
    }),
    LogImportProgress,
  ),
  /** The configuration that an imported run's log holds; null if it holds none. */
  config: call(z.strictObject({ id: z.string().min(1) }), z.record(z.string(), z.unknown()).nullable()),
  /**
   * Writes all curves of runs as files of the machine that runs the services, whole or not at all. A folder is
   * new: one that exists and is not empty is refused (`conflict`). Closing the feed cancels it.
   */
  export: feed(
    z.strictObject({
      runIds: z.array(z.string().min(1)).min(1).max(64),
      format: z.enum(curveFormatIds),
      path,
    }),
    CurveExportProgress,
  ),
};
