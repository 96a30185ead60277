import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Folder of real data, which is no part of the project: `WHETSTONE_DATA`, else `../shared/data` beside the
 * checkout.
 */
const folder =
  process.env.WHETSTONE_DATA ??
  join(dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url))))), 'shared', 'data');

/** Where a file of the data folder should be, and why a test of it is skipped: null where it is there. */
export function dataFile(file: string): { readonly path: string; readonly missing: string | null } {
  const path = join(folder, file);
  return { path, missing: existsSync(path) ? null : `no ${file}; name its folder in WHETSTONE_DATA` };
}
