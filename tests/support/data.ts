import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'vitest';

/** Folder of real data, which is no part of the project: `WHETSTONE_DATA`, else `../shared/data` beside the checkout. */
const folder = process.env.WHETSTONE_DATA ?? join(dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url))))), 'shared', 'data');

/** Runs a test on a file of the data folder; where the file is absent, the test is skipped and its name says why. */
export const testWithData = (name: string, file: string, body: (path: string) => Promise<void>): void => {
  const path = join(folder, file);
  if (existsSync(path)) test(name, () => body(path));
  else test.skip(`${name} (skipped: no ${file}; name its folder in WHETSTONE_DATA)`, () => body(path));
};
