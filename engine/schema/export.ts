import * as z from 'zod';
import { real } from './real.ts';

/** Types in which weights are written. */
export const ExportType = z.enum(['F32', 'F16', 'BF16']);
export type ExportType = z.infer<typeof ExportType>;

/** Bytes of weights that an export has written, of how many; the last one brings the result. */
export const ExportProgress = z.strictObject({
  written: real,
  total: real,
  result: z.strictObject({ path: z.string(), bytes: real, parameters: real }).nullable(),
});
export type ExportProgress = z.infer<typeof ExportProgress>;
