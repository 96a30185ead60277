import * as z from 'zod';
import { logToolIds } from '../wire/log-tools.ts';

export const ToolId = z.enum(logToolIds);
export type ToolId = z.infer<typeof ToolId>;

/** The log that an imported run was read from. */
export const LogOrigin = z.strictObject({
  tool: ToolId,
  /** The file or folder; of a database, the file that holds the run. */
  path: z.string(),
  /** SHA-256 of the content: of the files, in order; of a database, of the run's rows. */
  hash: z.string(),
  importedAt: z.number(),
  points: z.number(),
  /** Points whose step another point of their metric has, too: the last one counts. */
  repeated: z.number(),
  /** Contents of the files that a run cannot hold, in the plural ("histograms"). */
  skipped: z.array(z.strictObject({ what: z.string(), count: z.number() })),
  /** Why a file could not be read to its end, as one sentence. */
  damage: z.string().nullable(),
  /** Metrics that have another name here: their names in the log, by the names here. */
  renamed: z.record(z.string(), z.string()),
});
export type LogOrigin = z.infer<typeof LogOrigin>;
