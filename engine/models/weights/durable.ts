import { open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { WhetstoneError } from '../../schema/errors.ts';

const codeOf = (error: unknown): string => error instanceof Error && 'code' in error ? String(error.code) : '';

/** A failed write as an error that a person can act on. */
export const writeError = (cause: unknown, path: string): WhetstoneError => {
  if (cause instanceof WhetstoneError) return cause;
  const code = codeOf(cause), message = cause instanceof Error ? cause.message : String(cause);
  if (['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code))
    return new WhetstoneError('disk-full', 'There is no room left to save this checkpoint; the last complete one stays.', { where: path, hint: 'Free some space or delete old runs, then continue from the last checkpoint.', cause });
  return new WhetstoneError('internal', `The checkpoint could not be saved: ${message}`, { where: path, hint: 'Check that the folder exists and may be written.', cause });
};

/** Writes a file and returns when its bytes are on the disk. */
export const writeDurably = async (path: string, bytes: Uint8Array): Promise<void> => {
  try {
    await using file = await open(path, 'w');
    await file.writeFile(bytes);
    await file.sync();
  } catch (cause) {
    throw writeError(cause, path);
  }
};

/** Returns when the folder's list of names is on the disk. Windows cannot open a folder, and there renames are journaled. */
export const syncFolder = async (path: string): Promise<void> => {
  if (process.platform === 'win32') return;
  await using folder = await open(path, 'r');
  await folder.sync();
};

/** Makes a rename or a new folder durable in its parent. */
export const syncParent = (path: string): Promise<void> => syncFolder(dirname(path));

/** The bytes of a file of a model folder; `not-found` names what is missing. */
export const readBytes = async (path: string, what: string): Promise<Uint8Array<ArrayBuffer>> => {
  try {
    return await readFile(path);
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') throw new WhetstoneError('not-found', `The model folder has no ${what}.`, { where: path, hint: 'Choose a complete model folder, or another checkpoint.', cause });
    throw new WhetstoneError('invalid-input', `The ${what} could not be read: ${cause instanceof Error ? cause.message : String(cause)}`, { where: path, cause });
  }
};

/** A JSON file of a model folder. */
export const parseJson = (bytes: Uint8Array, path: string): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new WhetstoneError('invalid-input', `The file is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`, { where: path, cause });
  }
};
