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

/** The same, with a pause after each chunk. One that is not brought to its end leaves nothing. */
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
  'A file cannot be written here.',
  'Change the folder’s permissions, or choose another place.',
];
const reasons: { readonly [code: string]: readonly [ErrorKind, string, string] } = {
  ENOENT: ['not-found', 'The folder of this file is not there.', 'Make it first, or choose another one.'],
  EISDIR: ['invalid-input', 'This is a folder; a file is to be written.', 'Add a file name.'],
  EACCES: unwritable,
  EPERM: unwritable,
  EROFS: unwritable,
};

/**
 * Writes a file outside the workspace's records, for a person to keep. Under its name stands what was there
 * before until all of the new is on disk; a failure leaves the old. What is no file (a pipe, a terminal) is
 * written straight. It has the permissions of the person's other files, unless `mode` is given. Throws with
 * the path and what to do.
 */
export async function writeWhole(path: string, content: Content, mode?: number): Promise<void> {
  try {
    const before = await stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (before && !before.isFile() && !before.isDirectory()) return await writeFile(path, content);
    // the file that a link leads to is replaced, not the link
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

/** Most rows, and about the most characters, that one transaction stores. */
const partRows = 100;
const partCharacters = 250_000;

/** Rows in parts, each of which is stored in a few milliseconds. */
export function* inParts<T>(rows: readonly T[], charactersOf: (row: T) => number): Generator<readonly T[]> {
  let [from, characters] = [0, 0];
  for (const [at, row] of rows.entries()) {
    characters += charactersOf(row);
    if (at + 1 - from < partRows && characters < partCharacters && at + 1 < rows.length) continue;
    yield rows.slice(from, at + 1);
    [from, characters] = [at + 1, 0];
  }
}

/** Values as JSON lines, in pieces of about 64 kB. `count` is told how many there were. */
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
