import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import { WhetstoneError } from '../../engine/common/errors.ts';

/** A file inside a ZIP archive (a Python wheel is one). */
export interface ZipEntry {
  readonly name: string;
  readonly bytes: number;
  /** Its contents, decompressed as they are read. */
  read(): Promise<Readable>;
}

const endMark = 0x06054b50;
const entryMark = 0x02014b50;
/** Longest end record: its fixed part and a comment of 65,535 bytes. */
const longestEnd = 22 + 65_535;

const broken = (path: string): WhetstoneError =>
  new WhetstoneError('invalid-input', 'This is not a ZIP archive, or it is incomplete.', {
    where: path,
    hint: 'Fetch the file again.',
  });

/**
 * The entries of a ZIP archive, from the directory at its end (PKWARE's APPNOTE, 4.3). Throws
 * `invalid-input` if there is none, `not-found` without the file.
 */
export async function readZip(path: string): Promise<ZipEntry[]> {
  const file = await open(path).catch((cause: NodeJS.ErrnoException) => {
    throw new WhetstoneError('not-found', `The file cannot be opened (${cause.code}).`, {
      where: path,
      cause,
    });
  });
  try {
    const { size } = await file.stat();
    const read = async (from: number, length: number): Promise<Buffer> => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from);
      if (bytesRead !== length) throw broken(path);
      return buffer;
    };
    const tail = await read(Math.max(0, size - longestEnd), Math.min(size, longestEnd));
    let at = tail.length - 22;
    while (at >= 0 && tail.readUInt32LE(at) !== endMark) at--;
    if (at < 0) throw broken(path);
    const [count, length, from] = [
      tail.readUInt16LE(at + 10),
      tail.readUInt32LE(at + 12),
      tail.readUInt32LE(at + 16),
    ];
    if (from + length > size) throw broken(path);
    return entriesOf(await read(from, length), count, path);
  } finally {
    await file.close();
  }
}

const entriesOf = (directory: Buffer, count: number, path: string): ZipEntry[] => {
  const entries: ZipEntry[] = [];
  for (let at = 0, n = 0; n < count; n++) {
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== entryMark) throw broken(path);
    const [method, packed, bytes, start] = [
      directory.readUInt16LE(at + 10),
      directory.readUInt32LE(at + 20),
      directory.readUInt32LE(at + 24),
      directory.readUInt32LE(at + 42),
    ];
    const [named, extra, comment] = [28, 30, 32].map((field) => directory.readUInt16LE(at + field));
    const name = directory.toString('utf8', at + 46, at + 46 + named);
    entries.push({ name, bytes, read: () => contents(path, { name, start, packed, method }) });
    at += 46 + named + extra + comment;
  }
  return entries;
};

const contents = async (
  path: string,
  { name, start, packed, method }: { name: string; start: number; packed: number; method: number },
): Promise<Readable> => {
  const file = await open(path);
  const head = Buffer.alloc(30);
  try {
    await file.read(head, 0, 30, start);
  } finally {
    await file.close();
  }
  const from = start + 30 + head.readUInt16LE(26) + head.readUInt16LE(28);
  if (method !== 0 && method !== 8)
    throw new WhetstoneError(
      'unsupported',
      `The archive compresses its files by the unsupported method ${method}.`,
      {
        where: `${path}: ${name}`,
      },
    );
  const raw = createReadStream(path, { start: from, end: from + packed - 1 });
  if (method === 0) return raw;
  // an error on one side ends the other, so that the reader sees it
  const unpacked = createInflateRaw().on('close', () => raw.destroy());
  raw.on('error', (error) => unpacked.destroy(error));
  return raw.pipe(unpacked);
};
