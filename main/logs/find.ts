import { createHash } from 'node:crypto';
import { open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { logTools } from '../../preload/wire/log-tools.ts';
import { blocksOf } from './formats/blocks.ts';
import { fileError } from './formats/file-error.ts';
import { readers } from './readers/index.ts';
import type { LogFile, LogSource } from './readers/reader.ts';

/** A run that was found, with the reader that found it. */
export interface FoundSource extends LogSource {
  /** Names it among the runs of one path. */
  readonly key: string;
  readonly reader: string;
}

/** Most entries of a folder and all below it, and most runs. */
const most = { entries: 100_000, runs: 1000 };

const HEAD_BYTES = 65_536;

async function headOf(path: string): Promise<Buffer> {
  try {
    const file = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw fileError(error, path);
  }
}

function fileOf(path: string, bytes: number): LogFile {
  let head: Promise<Buffer> | undefined;
  return { path, name: basename(path), folder: dirname(path), bytes, head: () => (head ??= headOf(path)) };
}

/** All files below a folder; links are not followed, since W&B links its latest run. */
async function filesIn(folder: string): Promise<LogFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    throw fileError(error, folder);
  });
  if (entries.length > most.entries)
    throw new WhetstoneError('invalid-input', `This folder has more than ${most.entries} files.`, {
      where: folder,
      hint: 'Choose a folder below it that holds the logs.',
    });
  const paths = entries
    .filter((entry) => entry.isFile() && !entry.parentPath.split(sep).includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return await Promise.all(paths.map(async (path) => fileOf(path, (await stat(path)).size)));
}

const nothingFound = (path: string): WhetstoneError =>
  new WhetstoneError('invalid-input', 'No log of a training run was found here.', {
    where: path,
    hint: `These are read: ${Object.values(logTools).join(', ')}.`,
  });

/**
 * The runs that a log file or a folder holds, in the order of their paths. Reads the beginnings of files. Throws
 * `not-found`, `invalid-input` where there are none.
 */
export async function findLogs(given: string): Promise<FoundSource[]> {
  const path = resolve(given);
  const facts = await stat(path).catch((error: unknown) => {
    throw fileError(error, path);
  });
  const isChosen = !facts.isDirectory();
  let files = isChosen ? [fileOf(path, facts.size)] : await filesIn(path);
  const found: FoundSource[] = [];
  for (const [reader, { find }] of Object.entries(readers)) {
    const sources = await find(files, isChosen);
    const taken = new Set(sources.flatMap((source) => source.files));
    files = files.filter((file) => !taken.has(file.path));
    found.push(...sources.map((source) => ({ ...source, reader, key: keyOf(source, path) })));
  }
  if (found.length === 0) throw nothingFound(path);
  if (found.length > most.runs)
    throw new WhetstoneError('invalid-input', `There are ${found.length} runs, more than ${most.runs}.`, {
      where: path,
      hint: 'Choose a folder below it.',
    });
  return named(
    found.sort((x, y) => (x.files[0] < y.files[0] ? -1 : Number(x.files[0] > y.files[0]))),
    path,
    isChosen,
  );
}

const keyOf = ({ files: [first], part }: LogSource, path: string): string =>
  [relative(path, first).split(sep).join('/') || basename(first), ...(part === undefined ? [] : [part])].join(
    '#',
  );

/** Runs of equal names get that of their folders below the path, as TensorBoard shows them. */
function named(found: readonly FoundSource[], path: string, isChosen: boolean): FoundSource[] {
  const times = new Map<string, number>();
  for (const { name } of found) times.set(name, (times.get(name) ?? 0) + 1);
  return found.map((source) => {
    const folder = relative(path, dirname(source.files[0])).split(sep).join('/');
    const isUnique = times.get(source.name) === 1;
    return { ...source, name: isUnique || isChosen || folder === '' ? source.name : folder };
  });
}

/** SHA-256 of a run's files, in order, or of its rows in a database; says the bytes read. */
export async function* hashed(source: FoundSource): AsyncGenerator<number, string> {
  const digest = createHash('sha256');
  const { fingerprint } = readers[source.reader];
  if (fingerprint) {
    for (const text of fingerprint(source)) digest.update(text);
    return digest.digest('hex');
  }
  for (const path of source.files)
    for await (const { bytes } of blocksOf(path)) {
      digest.update(bytes);
      yield bytes.length;
    }
  return digest.digest('hex');
}
