import { stat } from 'node:fs/promises';
import { openFolder } from './folder.ts';
import { openOne } from './one-file.ts';
import type { Source } from './source.ts';

/** Opens a data file, or a folder of data files. Throws `not-found` and `invalid-input`. */
export const openSource = async (path: string): Promise<Source> => {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false, // opening the file says why
  );
  return isFolder ? openFolder(path) : openOne(path);
};

export type { Source } from './source.ts';
