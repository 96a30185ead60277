import { test } from 'vitest';
import { dataFile } from './data-file.ts';

/**
 * Runs a test on a file of the data folder; if the file is absent, the test is skipped and its name says
 * why.
 */
export const testWithData = (name: string, file: string, body: (path: string) => Promise<void>): void => {
  const { path, missing } = dataFile(file);
  if (missing === null) test(name, () => body(path));
  else test.skip(`${name} (skipped: ${missing})`, () => body(path));
};
