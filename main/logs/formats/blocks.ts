import { open } from 'node:fs/promises';
import { fileError } from './file-error.ts';

/** A record of a binary log. `at`: its first byte in the file. */
export interface LogRecord {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** The reason why a file cannot be read further than a byte. */
export interface Break {
  readonly at: number;
  readonly reason: string;
}

/** Records that a block of a file completed, and the bytes read so far; `broken` is the end. */
export interface RecordBatch {
  readonly records: readonly LogRecord[];
  readonly bytes: number;
  readonly broken?: Break;
}

/** Bytes read at once; whole blocks of the LevelDB log format. */
const BLOCK = 32 * 32_768;

/** The blocks of a file, with the place of each. Throws `not-found`, `invalid-input` with the path. */
export async function* blocksOf(
  path: string,
): AsyncGenerator<{ readonly at: number; readonly bytes: Buffer }> {
  try {
    const file = await open(path, 'r');
    try {
      for (let at = 0; ;) {
        const buffer = Buffer.allocUnsafeSlow(BLOCK);
        let length = 0;
        while (length < BLOCK) {
          const { bytesRead } = await file.read(buffer, length, BLOCK - length, at + length);
          if (bytesRead === 0) break;
          length += bytesRead;
        }
        if (length === 0) return;
        yield { at, bytes: buffer.subarray(0, length) };
        at += length;
      }
    } finally {
      await file.close();
    }
  } catch (error) {
    throw fileError(error, path);
  }
}
