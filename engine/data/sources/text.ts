import { WhetstoneError } from '../../common/errors.ts';
import { formatOf, type Format } from '../formats/index.ts';
import { openTextFile } from './text-file.ts';
import type { Source } from './source.ts';

/** The name of a file without the ending of gzip. */
export const unpackedName = (path: string): string => path.replace(/\.gz$/i, '');

/** A file of text, plain or gzip. Throws as `openTextFile` does. */
export const openText = async (path: string): Promise<Source> => {
  const file = await openTextFile(path);
  let title = '';
  return {
    get title() {
      return title;
    },
    totalBytes: file.totalBytes,
    get bytes() {
      return file.bytes;
    },
    async *records(limits) {
      const { format, chunks } = await detect(path, file.chunks());
      title = format.title;
      yield* format.read(chunks, limits);
    },
    hash: () => Promise.resolve(file.hash()),
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  };
};

/** Detects the format from the start of the text; the returned chunks begin there again. */
const detect = async (
  path: string,
  chunks: AsyncGenerator<string>,
): Promise<{ format: Format; chunks: AsyncIterable<string> }> => {
  let head = '';
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    head += next.value;
    if (head.trim() !== '') break;
  }
  const start = head.trimStart();
  if (start === '')
    throw new WhetstoneError('invalid-input', 'The file holds only blanks.', {
      where: path,
      hint: 'Choose a file with at least one row.',
    });
  const format = formatOf(unpackedName(path), start);
  if (!format)
    throw new WhetstoneError('invalid-input', 'The file is neither JSON nor a table.', {
      where: `${path}:1`,
      hint: 'Choose JSON lines, a JSON array, CSV with a header line, or Parquet.',
    });
  return {
    format,
    chunks: (async function* () {
      yield head;
      yield* chunks;
    })(),
  };
};
