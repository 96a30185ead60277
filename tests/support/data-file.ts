import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Folder of real data, which is not part of the project: `WHETSTONE_DATA`, else `../shared/data` next to the
 * checkout.
 */
const folder =
  process.env.WHETSTONE_DATA ??
  join(dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url))))), 'shared', 'data');

/** Path of a file of the data folder, and the reason to skip its test: null if the file exists. */
export function dataFile(file: string): { readonly path: string; readonly missing: string | null } {
  const path = join(folder, file);
  return { path, missing: existsSync(path) ? null : `no ${file}; name its folder in WHETSTONE_DATA` };
}
