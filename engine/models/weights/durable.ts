import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { WhetstoneError } from '../../common/errors.ts';

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

/** The error for a failed write. */
export const writeError = (cause: unknown, path: string): WhetstoneError => {
  if (cause instanceof WhetstoneError) return cause;
  const code = codeOf(cause);
  const message = cause instanceof Error ? cause.message : String(cause);
  if (['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code))
    return new WhetstoneError(
      'disk-full',
      'There is no room left to save this checkpoint; the last complete one stays.',
      {
        where: path,
        hint: 'Free some space or delete old runs, then continue from the last checkpoint.',
        cause,
      },
    );
  return new WhetstoneError('internal', `The checkpoint could not be saved: ${message}`, {
    where: path,
    hint: 'Check that the folder exists and may be written.',
    cause,
  });
};

/** Size and SHA-256 (hexadecimal) of a file's bytes. */
export interface FileFacts {
  readonly bytes: number;
  readonly sha256: string;
}

/** Writes a file, piece by piece, and returns when its bytes are on disk. */
export const writeDurably = async (path: string, pieces: Iterable<Uint8Array>): Promise<FileFacts> => {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    await using file = await open(path, 'w');
    for (const piece of pieces) {
      hash.update(piece);
      bytes += piece.length;
      await file.writeFile(piece);
    }
    await file.sync();
  } catch (cause) {
    throw writeError(cause, path);
  }
  return { bytes, sha256: hash.digest('hex') };
};

/** Size and hash of a file, without holding it in memory. */
export const factsOf = async (path: string, what: string): Promise<FileFacts> => {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const piece of createReadStream(path, { highWaterMark: 2 ** 20 })) {
      hash.update(piece as Uint8Array);
      bytes += (piece as Uint8Array).length;
    }
  } catch (cause) {
    throw readError(cause, path, what);
  }
  return { bytes, sha256: hash.digest('hex') };
};

/**
 * Returns when the folder's entries are on disk. Windows cannot open a folder, and journals renames there.
 */
export const syncFolder = async (path: string): Promise<void> => {
  if (process.platform === 'win32') return;
  await using folder = await open(path, 'r');
  await folder.sync();
};

/** Makes a rename or a new folder durable in its parent. */
export const syncParent = (path: string): Promise<void> => syncFolder(dirname(path));

/** The bytes of a file of a model folder; `not-found` names the missing file. */
export const readBytes = async (path: string, what: string): Promise<Uint8Array<ArrayBuffer>> => {
  try {
    return await readFile(path);
  } catch (cause) {
    throw readError(cause, path, what);
  }
};

/** The error for a failed read. */
export const readError = (cause: unknown, path: string, what: string): WhetstoneError => {
  if (cause instanceof WhetstoneError) return cause;
  if (['ENOENT', 'ENOTDIR'].includes(codeOf(cause)))
    return new WhetstoneError('not-found', `The model folder has no ${what}.`, {
      where: path,
      hint: 'Choose a complete model folder, or another checkpoint.',
      cause,
    });
  return new WhetstoneError(
    'invalid-input',
    `The ${what} could not be read: ${cause instanceof Error ? cause.message : String(cause)}`,
    { where: path, cause },
  );
};

/** A JSON file of a model folder. */
export const parseJson = (bytes: Uint8Array, path: string): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new WhetstoneError(
      'invalid-input',
      `The file is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`,
      { where: path, cause },
    );
  }
};
