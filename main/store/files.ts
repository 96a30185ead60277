import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { WhetstoneError, type ErrorKind } from '../../engine/common/errors.ts';
import { storeError } from './database.ts';
import { toJson } from './json.ts';
import { fileMode, folderMode } from './private.ts';
import { atOnce, type Sliced } from './slices.ts';
import { uuid } from './uuid.ts';

export interface Artifact {
  /** Relative to the workspace's folder, with forward slashes. */
  readonly path: string;
  readonly hash: string;
  readonly bytes: number;
}

/**
 * Writes chunks to `artifacts/<kind>/<hash><ending>`: temp file, fsync, rename. A file with the same content
 * is written once.
 */
export const writeArtifact = (
  folder: string,
  kind: string,
  ending: string,
  chunks: Iterable<Uint8Array>,
): Artifact => atOnce(artifactInSlices(folder, kind, ending, chunks));

/** Writes an artifact in slices, one per chunk. An unfinished one leaves no file. */
export function* artifactInSlices(
  folder: string,
  kind: string,
  ending: string,
  chunks: Iterable<Uint8Array>,
): Sliced<Artifact> {
  const temporary = join(folder, 'artifacts', kind, `writing-${uuid()}`);
  mkdirSync(dirname(temporary), { recursive: true, mode: folderMode });
  const file = openSync(temporary, 'wx', fileMode);
  const digest = createHash('sha256');
  let bytes = 0;
  try {
    for (const chunk of chunks) {
      digest.update(chunk);
      for (let at = 0; at < chunk.length;) at += writeSync(file, chunk, at);
      bytes += chunk.length;
      yield;
    }
    fsyncSync(file);
  } catch (error) {
    closeSync(file);
    rmSync(temporary, { force: true });
    throw error;
  }
  closeSync(file);
  const hash = digest.digest('hex');
  const path = `artifacts/${kind}/${hash}${ending}`;
  if (existsSync(join(folder, path))) rmSync(temporary);
  else renameSync(temporary, join(folder, path));
  return { path, hash, bytes };
}

const unwritable: readonly [ErrorKind, string, string] = [
  'invalid-input',
  'Files cannot be written here.',
  'Change the folder’s permissions, or choose another place.',
];
const reasons: { readonly [code: string]: readonly [ErrorKind, string, string] } = {
  ENOENT: ['not-found', 'The folder of this file does not exist.', 'Create it first, or choose another one.'],
  EISDIR: ['invalid-input', 'This is a folder, not a file.', 'Add a file name.'],
  EACCES: unwritable,
  EPERM: unwritable,
  EROFS: unwritable,
};

/**
 * Writes a user's file outside the workspace atomically: the old content remains until the new one is on
 * disk, and after a failure. Writes directly to what is not a regular file (a pipe, a terminal). The file has
 * the user's usual permissions unless `mode` is given. Throws with the path and a hint.
 */
export async function writeWhole(path: string, content: Content, mode?: number): Promise<void> {
  try {
    const before = await stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (before && !before.isFile() && !before.isDirectory()) return await writeFile(path, content);
    // replace the target of a link, not the link
    await replaceFile(before ? await realpath(path) : path, content, before?.isFile() ? before.mode : mode);
  } catch (error) {
    const reason = reasons[(error as NodeJS.ErrnoException).code ?? ''];
    throw reason
      ? new WhetstoneError(reason[0], reason[1], { where: path, hint: reason[2], cause: error })
      : storeError(error, path);
  }
}

type Content = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

async function replaceFile(path: string, content: Content, mode: number | undefined): Promise<void> {
  const temporary = `${path}.writing-${uuid()}`;
  const file = await open(temporary, 'wx', mode);
  try {
    await file.writeFile(content);
    await file.sync();
    await file.close();
    await rename(temporary, path);
  } catch (error) {
    await file.close();
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Most rows, and about the most characters, in one transaction. */
const partRows = 100;
const partCharacters = 250_000;

/** Splits rows into parts that are each stored in a few milliseconds. */
export function* inParts<T>(rows: readonly T[], charactersOf: (row: T) => number): Generator<readonly T[]> {
  let [from, characters] = [0, 0];
  for (const [at, row] of rows.entries()) {
    characters += charactersOf(row);
    if (at + 1 - from < partRows && characters < partCharacters && at + 1 < rows.length) continue;
    yield rows.slice(from, at + 1);
    [from, characters] = [at + 1, 0];
  }
}

/** Values as JSON lines, in chunks of about 64 kB. Calls `count` with the number of values. */
export function* jsonLines(
  values: Iterable<unknown>,
  count: (rows: number) => void = () => undefined,
): Generator<Uint8Array> {
  let text = '';
  let rows = 0;
  for (const value of values) {
    text += `${toJson(value)}\n`;
    rows += 1;
    if (text.length > 65_536) {
      yield Buffer.from(text);
      text = '';
    }
  }
  if (text) yield Buffer.from(text);
  count(rows);
}
