import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encoded, Tally, writers, type ExportItem, type Writer } from '../../engine/data/index.ts';
import { temporaryFolder } from './folder.ts';

export const writerOf = (id: string): Writer => {
  const writer = writers.find((each) => each.id === id);
  if (!writer) throw new Error(`there is no writer ${id}`);
  return writer;
};

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const item of items) yield await Promise.resolve(item);
}

/** Writes items into a new file; returns its path and what was written. */
export const writtenFile = async (
  id: string,
  items: readonly ExportItem[],
  folder = temporaryFolder(),
): Promise<{ readonly path: string; readonly tally: Tally }> => {
  const writer = writerOf(id);
  const path = join(folder, `export${writer.extension}`);
  const tally = new Tally();
  await writeFile(
    path,
    encoded(writer, () => each(items), tally),
  );
  return { path, tally };
};
