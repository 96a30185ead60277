import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import { createGunzip } from 'node:zlib';
import { WhetstoneError } from '../../common/errors.ts';

const CHUNK = 1 << 20;

/**
 * A file read once from the beginning as UTF-8 text, unpacked if it is gzip; its bytes on disk are counted
 * and hashed on the way.
 */
export interface TextFile {
  readonly totalBytes: number;
  /** Bytes read so far. */
  readonly bytes: number;
  chunks(): AsyncGenerator<string>;
  /** SHA-256 of the bytes read, in hex. */
  hash(): string;
}

/**
 * Opens a file for reading. Throws `not-found`, or `invalid-input` for a folder, an empty file, or invalid
 * UTF-8, with the file and line in `where`.
 */
export const openTextFile = async (path: string): Promise<TextFile & AsyncDisposable> => {
  const handle = await openFile(path);
  const { size } = await handle.stat();
  const digest = createHash('sha256');
  let bytes = 0;
  const refuse = async (error: WhetstoneError): Promise<never> => {
    await handle.close();
    throw error;
  };
  if (size === 0)
    return refuse(
      new WhetstoneError('invalid-input', 'The file is empty.', {
        where: path,
        hint: 'Choose a file with at least one row.',
      }),
    );
  return {
    totalBytes: size,
    get bytes() {
      return bytes;
    },
    async *chunks() {
      const raw = rawChunks(handle, (chunk) => {
        digest.update(chunk);
        bytes += chunk.length;
      });
      const first = await raw.next();
      const isPacked = !first.done && first.value[0] === 0x1f && first.value[1] === 0x8b;
      const all = startingWith(first, raw);
      yield* decoded(path, isPacked ? unpacked(path, all) : all);
    },
    hash: () => digest.copy().digest('hex'),
    [Symbol.asyncDispose]: () => handle.close(),
  };
};

/** The bytes of a file. A chunk is valid until the next one is requested: its memory is used again. */
async function* rawChunks(
  handle: FileHandle,
  count: (chunk: Uint8Array) => void,
): AsyncGenerator<Buffer<ArrayBuffer>> {
  const read = (into: Buffer<ArrayBuffer>) => handle.read(into, 0, CHUNK);
  let spare = Buffer.allocUnsafeSlow(CHUNK);
  let next = read(Buffer.allocUnsafeSlow(CHUNK));
  try {
    for (;;) {
      const { buffer, bytesRead } = await next;
      if (bytesRead === 0) return;
      next = read(spare); // while this chunk is used
      const chunk = buffer.subarray(0, bytesRead);
      count(chunk);
      yield chunk;
      spare = buffer;
    }
  } finally {
    await next; // before the file is closed
  }
}

async function* startingWith<T>(
  first: IteratorResult<T, unknown>,
  rest: AsyncGenerator<T>,
): AsyncGenerator<T> {
  if (!first.done) yield first.value;
  yield* rest;
}

async function* copied(chunks: AsyncGenerator<Buffer<ArrayBuffer>>): AsyncGenerator<Buffer<ArrayBuffer>> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}

/** Unpacks gzip. Throws `invalid-input` if it is damaged or cut off. */
async function* unpacked(
  path: string,
  packed: AsyncGenerator<Buffer<ArrayBuffer>>,
): AsyncGenerator<Buffer<ArrayBuffer>> {
  const source = Readable.from(copied(packed), { objectMode: false });
  const gunzip = createGunzip({ chunkSize: CHUNK });
  source.on('error', (error) => gunzip.destroy(error));
  try {
    yield* source.pipe(gunzip) as AsyncIterable<Buffer<ArrayBuffer>>;
  } catch (error) {
    if (!String((error as NodeJS.ErrnoException).code).startsWith('Z_')) throw error;
    throw new WhetstoneError('invalid-input', 'The gzip file is damaged or cut off.', {
      where: path,
      hint: 'Copy or download it again.',
      cause: error,
    });
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}

async function* decoded(path: string, bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true }); // drops a byte order mark
  let line = 1;
  let isFirst = true;
  for await (const chunk of bytes) {
    if (isFirst) refuseKnownBinary(path, chunk);
    isFirst = false;
    const text = decodeChunk(decoder, chunk, { path, line, last: false });
    line += newlines(chunk);
    yield text;
  }
  yield decodeChunk(decoder, new Uint8Array(), { path, line, last: true });
}

export const openFile = async (path: string): Promise<FileHandle> => {
  try {
    const handle = await open(path, 'r');
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new WhetstoneError('not-found', 'There is no such file.', { where: path, cause: error });
    if (code === 'EACCES' || code === 'EPERM')
      throw new WhetstoneError('invalid-input', 'The file may not be read.', {
        where: path,
        hint: 'Check its permissions.',
        cause: error,
      });
    throw error;
  }
  throw new WhetstoneError('invalid-input', 'This is not a file.', {
    where: path,
    hint: 'Choose a JSON, JSON lines, CSV or Parquet file, or a folder of such files.',
  });
};

const newlines = (bytes: Uint8Array): number => {
  let n = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) n++;
  return n;
};

interface Place {
  readonly path: string;
  readonly line: number;
  readonly last: boolean;
}

const decodeChunk = (decoder: TextDecoder, chunk: Uint8Array, { path, line, last }: Place): string => {
  const nul = chunk.indexOf(0);
  if (nul >= 0) throw binary(path, line + newlines(chunk.subarray(0, nul)), 'it holds zero bytes');
  try {
    return decoder.decode(chunk, { stream: !last });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw binary(path, line + firstBadLine(chunk), 'its bytes are not UTF-8');
  }
};

/**
 * Lines before the first one that does not decode. A line end is never inside a character, so each line can
 * be tried alone.
 */
const firstBadLine = (chunk: Uint8Array): number => {
  let start = 0;
  // the rest of a character that began in the chunk before
  while (start < 3 && (chunk[start] & 0xc0) === 0x80) start++;
  for (let lines = 0; ; lines++) {
    const end = chunk.indexOf(10, start);
    try {
      // The last line may continue in the next chunk, so an incomplete character at its end is no error.
      new TextDecoder('utf-8', { fatal: true }).decode(chunk.subarray(start, end < 0 ? undefined : end), {
        stream: end < 0,
      });
    } catch (error) {
      if (error instanceof TypeError) return lines;
      throw error;
    }
    if (end < 0) return 0; // no line is wrong in itself: the character that began in the chunk before is
    start = end + 1;
  }
};

/** Hint that converts Arrow files, which are not read. */
export const arrowHint =
  'Write it as Parquet, in Python: datasets.load_from_disk(folder).to_parquet("train.parquet"), or ' +
  'datasets.Dataset.from_file(file).to_parquet("train.parquet").';

const magics: readonly (readonly [bytes: readonly number[], what: string, hint: string])[] = [
  [[0x1f, 0x8b], 'gzip inside gzip', 'Unpack it once.'],
  [[0x50, 0x4b, 3, 4], 'a zip archive', 'Unpack it first.'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'zstd', 'Unpack it first.'],
  [[0x50, 0x41, 0x52, 0x31], 'Parquet inside gzip', 'Unpack it first.'],
  [[0x41, 0x52, 0x52, 0x4f, 0x57, 0x31], 'Arrow', arrowHint],
  [[0xff, 0xff, 0xff, 0xff], 'Arrow', arrowHint],
  [[0xff, 0xfe], 'UTF-16 text', 'Save it as UTF-8.'],
  [[0xfe, 0xff], 'UTF-16 text', 'Save it as UTF-8.'],
];

const refuseKnownBinary = (path: string, chunk: Uint8Array): void => {
  const known = magics.find(([bytes]) => bytes.every((byte, i) => chunk[i] === byte));
  if (known)
    throw new WhetstoneError('invalid-input', `The file is ${known[1]}, not UTF-8 text.`, {
      where: path,
      hint: known[2],
    });
};

const binary = (path: string, line: number, why: string): WhetstoneError =>
  new WhetstoneError('invalid-input', `The file is binary or damaged: ${why}.`, {
    where: `${path}:${line}`,
    hint: 'Save it as UTF-8 text: JSON lines, a JSON array or CSV.',
  });
