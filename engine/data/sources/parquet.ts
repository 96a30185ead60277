import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { parquetMetadataAsync, parquetReadObjects, type AsyncBuffer, type FileMetaData } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { WhetstoneError } from '../../common/errors.ts';
import type { ParsedRecord } from '../formats/record.ts';
import { openFile } from './text-file.ts';
import { plainValue } from './plain.ts';
import type { Source } from './source.ts';

/** Records handed on at a time, and bytes hashed at a time. */
const BATCH = 512;
const CHUNK = 1 << 20;

/** Most rows, and most unpacked bytes, of a row group that is read. */
const most = { rows: 4_000_000, bytes: 2_000_000_000 };

/**
 * A Parquet file of any usual compression, read row group by row group; a line is a row, from 1. Throws
 * `invalid-input` if it is damaged, or if a row group does not fit into memory.
 */
export const openParquet = async (path: string): Promise<Source> => {
  const handle = await openFile(path);
  const { size } = await handle.stat();
  let bytes = 0;
  return {
    title: 'Parquet',
    totalBytes: size,
    get bytes() {
      return bytes;
    },
    async *records() {
      const file = bufferOf(handle, size);
      const metadata = await undamaged(path, () => parquetMetadataAsync(file));
      let row = 0;
      for (const group of metadata.row_groups) {
        const rows = Number(group.num_rows);
        refuseUnreadable(path, group, size);
        const values = await undamaged(path, () =>
          parquetReadObjects({ file, metadata, compressors, utf8: false, rowStart: row, rowEnd: row + rows }),
        );
        const packed = group.columns.reduce(
          (sum, { meta_data: m }) => sum + Number(m?.total_compressed_size ?? 0),
          0,
        );
        for (let from = 0; from < values.length; from += BATCH) {
          const first = row + from + 1;
          yield values.slice(from, from + BATCH).map((value, i): ParsedRecord => ({
            line: first + i,
            value: plainValue(value),
          }));
        }
        row += rows;
        bytes = Math.min(size, bytes + packed);
      }
      bytes = size;
    },
    hash: () => hashOf(handle, size),
    [Symbol.asyncDispose]: () => handle.close(),
  };
};

const bufferOf = (handle: FileHandle, size: number): AsyncBuffer => ({
  byteLength: size,
  async slice(start, end = size) {
    const length = Math.min(end, size) - start;
    if (!(length >= 0 && start >= 0)) throw new RangeError('it names bytes outside the file');
    const bytes = new Uint8Array(length);
    const { bytesRead } = await handle.read(bytes, 0, length, start);
    if (bytesRead < length) throw new RangeError('it ends early');
    return bytes.buffer;
  },
});

const damaged = (path: string, why: string, cause?: unknown): WhetstoneError =>
  new WhetstoneError('invalid-input', `The Parquet file is damaged or cannot be read: ${why}.`, {
    where: path,
    hint: 'Copy or download it again.',
    cause,
  });

/** Runs a step of the reader; each of its errors means that the file is damaged. */
const undamaged = async <T>(path: string, step: () => Promise<T>): Promise<T> => {
  try {
    return await step();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code?.startsWith('E') && !code.startsWith('ERR_')) throw error; // of the file system
    throw damaged(path, message, error);
  }
};

/** Throws for sizes that cannot be true, or that do not fit into memory. */
const refuseUnreadable = (path: string, group: FileMetaData['row_groups'][number], size: number): void => {
  const rows = Number(group.num_rows);
  const unpacked = group.columns.reduce(
    (sum, { meta_data: m }) => sum + Number(m?.total_uncompressed_size ?? 0),
    0,
  );
  if (!(rows >= 0 && rows <= most.rows && unpacked >= 0 && unpacked <= most.bytes))
    throw new WhetstoneError('invalid-input', 'A row group of the Parquet file is too large to be read.', {
      where: path,
      hint: `Write it with row groups of at most ${most.rows.toLocaleString('en')} rows and 2 GB.`,
    });
  for (const { meta_data: column } of group.columns) {
    const packed = Number(column?.total_compressed_size ?? 0);
    const begin = Number(column?.data_page_offset ?? 0);
    if (!(packed >= 0 && begin >= 0 && begin + 0 <= size && packed <= size))
      throw damaged(path, 'a column lies outside the file');
  }
};

const hashOf = async (handle: FileHandle, size: number): Promise<string> => {
  const digest = createHash('sha256');
  const chunk = Buffer.allocUnsafe(CHUNK);
  for (let at = 0; at < size;) {
    const { bytesRead } = await handle.read(chunk, 0, CHUNK, at);
    if (bytesRead === 0) break;
    digest.update(chunk.subarray(0, bytesRead));
    at += bytesRead;
  }
  return digest.digest('hex');
};
