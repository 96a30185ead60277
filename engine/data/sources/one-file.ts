import { openFile } from './text-file.ts';
import { openParquet } from './parquet.ts';
import type { Source } from './source.ts';
import { openText } from './text.ts';

const PARQUET = 'PAR1';

/** Opens a data file: Parquet by its first bytes, else text. */
export const openOne = async (path: string): Promise<Source> => {
  const handle = await openFile(path);
  const start = Buffer.alloc(PARQUET.length);
  try {
    await handle.read(start, 0, start.length, 0);
  } finally {
    await handle.close();
  }
  return start.toString('latin1') === PARQUET ? openParquet(path) : openText(path);
};
