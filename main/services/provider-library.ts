import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { lockFile } from '../store/lock.ts';
import { readZip } from './zip.ts';

/** One file of a provider library: its size and SHA-256. */
export interface LibraryFile {
  readonly bytes: number;
  readonly sha256: string;
}
export type Library = Readonly<Record<string, LibraryFile>>;

/**
 * Provider libraries by version of the runtime, platform and device, as in the wheel `onnxruntime-gpu` of
 * that version. They run inside the engine, so only exactly these files are installed.
 */
const libraries: Readonly<Record<string, Library>> = {
  '1.30.0 linux-x64 cuda': {
    'libonnxruntime_providers_cuda.so': {
      bytes: 272_049_904,
      sha256: '9d7587acb137b31bf84e4d32dc444b969bb601d098b01395effcacfe4341e364',
    },
    'libonnxruntime_providers_shared.so': {
      bytes: 14_632,
      sha256: '086ec1d5388f64153d9c63470d126693db9a182c8ce236d3a1119068471b8a0d',
    },
  },
};

/** The files that a device needs next to the runtime. Throws `unsupported` if none are known for it. */
export const libraryFor = (
  runtimeVersion: string,
  id: string,
  platform = `${process.platform}-${process.arch}`,
): Library => {
  const library = libraries[`${runtimeVersion} ${platform} ${id}`];
  if (!library)
    throw new WhetstoneError(
      'unsupported',
      `No provider library of '${id}' is known for version ${runtimeVersion} of the runtime on ${platform}.`,
      { where: id },
    );
  return library;
};

export interface Installing {
  /** A wheel (.whl), a folder with the files, or the address of such a wheel. */
  readonly source: string;
  readonly library: Library;
  /** The runtime's own folder: it does not look into subfolders. */
  readonly folder: string;
  readonly signal?: AbortSignal;
  /** Bytes fetched and checked, and the total. */
  report(phase: 'fetching' | 'checking', done: number, total: number): void;
}

interface Source {
  readonly name: string;
  readonly bytes: number;
  read(): Promise<Readable>;
}

/**
 * Folder of incomplete files; renamed once all of them are complete and verified, after which an
 * installation is only finished, never restarted.
 */
const partial = 'whetstone-library.part';
const complete = 'whetstone-library';

/**
 * Installs a provider library next to the runtime, all of it or nothing. The files are written into a
 * separate folder, each read only up to its known size and checked against its SHA-256. When all are right,
 * that folder is renamed once, and only moves remain: an installation interrupted between them is finished
 * by the next one. Leftovers of an earlier one are removed. Throws `not-found` if the source lacks a file,
 * `untrusted` if a file differs from the expected one, `disk-full`, or `conflict` if the folder cannot be
 * written or another process is installing.
 */
export async function installLibrary({ source, library, folder, signal, report }: Installing): Promise<void> {
  let release = (): void => undefined;
  try {
    await mkdir(folder, { recursive: true });
    release = lockFile(
      join(folder, 'whetstone-install'),
      {},
      (pid) =>
        new WhetstoneError('conflict', `Another Whetstone (process ${pid}) is installing a library.`, {
          where: folder,
          hint: 'Wait until it has ended, then look at the devices again.',
        }),
    );
    await rm(join(folder, partial), { recursive: true, force: true });
    if (await isComplete(join(folder, complete), library)) {
      await moveIntoPlace(folder, library);
      return;
    }
    await rm(join(folder, complete), { recursive: true, force: true });
    await stage(join(folder, partial), { source, library, signal, report });
    await rename(join(folder, partial), join(folder, complete));
    await moveIntoPlace(folder, library);
  } catch (error) {
    // the first error is more informative than one of the cleanup
    await rm(join(folder, partial), { recursive: true, force: true }).catch(() => undefined);
    throw fault(error, folder);
  } finally {
    release();
  }
}

/** Writes every file of the library, verified, into a new folder. */
const stage = async (
  into: string,
  { source, library, signal, report }: Omit<Installing, 'folder'>,
): Promise<void> => {
  await mkdir(into);
  const total = Object.values(library).reduce((sum, { bytes }) => sum + bytes, 0);
  const path = /^https?:/.test(source)
    ? await fetched(source, into, { signal, report, most: archiveMost(total) })
    : source;
  const found = await filesIn(path, Object.keys(library));
  let done = 0;
  for (const [name, expected] of Object.entries(library)) {
    const { name: from, bytes, read } = found[name];
    if (bytes !== expected.bytes) throw untrusted(name, from);
    const hash = createHash('sha256');
    const look = counted((count) => report('checking', (done += count), total), {
      most: expected.bytes,
      tooMuch: () => untrusted(name, from),
      hash,
    });
    await pipeline(await read(), look, createWriteStream(join(into, name), { flags: 'wx', flush: true }), {
      signal,
    });
    if (hash.digest('hex') !== expected.sha256) throw untrusted(name, from);
  }
  if (path !== source) await rm(path);
};

/**
 * Moves the staged files next to the runtime in reverse order of their names: dependencies (`…_shared`) come
 * first.
 */
const moveIntoPlace = async (folder: string, library: Library): Promise<void> => {
  const staged = join(folder, complete);
  const left = new Set(await readdir(staged));
  for (const name of Object.keys(library).sort().reverse())
    if (left.has(name)) await rename(join(staged, name), join(folder, name));
  await rmdir(staged);
  await synced(folder);
};

/**
 * True if a folder was staged completely: each file of the library is in it, or already installed, and has
 * the right hash.
 */
const isComplete = async (staged: string, library: Library): Promise<boolean> => {
  const names = await readdir(staged).catch(() => null);
  if (!names || names.some((name) => !(name in library))) return false;
  for (const [name, expected] of Object.entries(library)) {
    const path = join(names.includes(name) ? staged : dirname(staged), name);
    if (
      (await stat(path).then(
        ({ size }) => size,
        () => null,
      )) !== expected.bytes
    )
      return false;
    const hash = createHash('sha256');
    await pipeline(createReadStream(path), hash);
    if (hash.digest('hex') !== expected.sha256) return false;
  }
  return true;
};

/** Flushes a folder's entries to disk, where the system supports it. */
const synced = async (folder: string): Promise<void> => {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Maximum size of an archive: a wheel holds the library, compressed, and others of similar size. */
const archiveMost = (total: number): number => 4 * total + 2 ** 20;

const untrusted = (name: string, where: string): WhetstoneError =>
  new WhetstoneError('untrusted', `${name} is not the file that belongs to this version of the runtime.`, {
    where,
    hint: 'Use the wheel onnxruntime-gpu of the runtime’s own version.',
  });

const fault = (error: unknown, folder: string): WhetstoneError => {
  const { code, name } = error as NodeJS.ErrnoException;
  if (name === 'AbortError') return new WhetstoneError('cancelled', 'The installation was cancelled.');
  if (code === 'ENOSPC')
    return new WhetstoneError('disk-full', 'There is no room for the provider library.', { where: folder });
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new WhetstoneError('conflict', 'The folder of the runtime cannot be written.', {
      where: folder,
      hint: 'Install the app where you may write, or start it once as an administrator.',
      cause: error,
    });
  if (code?.startsWith('Z_'))
    return new WhetstoneError('invalid-input', 'The archive is damaged.', {
      hint: 'Fetch the file again.',
      cause: error,
    });
  return WhetstoneError.from(error);
};

interface Bounds {
  readonly most: number;
  tooMuch(): WhetstoneError;
  readonly hash?: ReturnType<typeof createHash>;
}

/** Forwards bytes, counts and hashes them, and fails at the first excess byte, before it reaches the disk. */
const counted = (count: (bytes: number) => void, { most, tooMuch, hash }: Bounds): Transform => {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      if (seen > most) return void done(tooMuch());
      hash?.update(chunk);
      count(chunk.length);
      done(null, chunk);
    },
  });
};

/**
 * Downloads a file of at most so many bytes. Throws `not-found` if it cannot be fetched, `untrusted` if it
 * is larger.
 */
const fetched = async (
  address: string,
  into: string,
  { signal, report, most }: Pick<Installing, 'signal' | 'report'> & { readonly most: number },
): Promise<string> => {
  const tooMuch = () =>
    new WhetstoneError('untrusted', 'What is at this address is larger than the library can be.', {
      where: address,
      hint: 'Check the address: it must be the wheel onnxruntime-gpu of the runtime’s own version.',
    });
  const unreachable = (why: string, cause?: unknown) =>
    new WhetstoneError('not-found', `The library cannot be fetched: ${why}.`, {
      where: address,
      hint: 'Check the address and the connection, or fetch the file yourself and choose it here.',
      cause,
    });
  const answer = await fetch(address, { signal }).catch((cause: unknown) => {
    if (signal?.aborted) throw cause;
    throw unreachable('there is no answer', cause);
  });
  if (!answer.ok || !answer.body) throw unreachable(`the answer was ${answer.status}`);
  const total = Number(answer.headers.get('content-length') ?? 0);
  const body = Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]);
  if (total > most) {
    body.destroy();
    throw tooMuch();
  }
  const path = join(into, 'library.whl');
  let done = 0;
  await pipeline(
    body,
    counted((bytes) => report('fetching', (done += bytes), total), { most, tooMuch }),
    createWriteStream(path, { flags: 'wx' }),
    { signal },
  );
  return path;
};

const filesIn = async (path: string, names: readonly string[]): Promise<Readonly<Record<string, Source>>> => {
  const facts = await stat(path).catch((cause: unknown) => {
    throw new WhetstoneError('not-found', 'There is no such file or folder.', { where: path, cause });
  });
  const entries = facts.isDirectory() ? [] : await readZip(path);
  return Object.fromEntries(
    await Promise.all(
      names.map(async (name): Promise<[string, Source]> => {
        const missing = () =>
          new WhetstoneError('not-found', `${name} is not in there.`, {
            where: path,
            hint: 'Choose the wheel onnxruntime-gpu of the runtime’s version, or a folder with its libraries.',
          });
        if (facts.isDirectory()) {
          const file = join(path, name);
          const { size } = await stat(file).catch(() => {
            throw missing();
          });
          return [name, { name: file, bytes: size, read: () => Promise.resolve(createReadStream(file)) }];
        }
        const entry = entries.find((each) => basename(each.name) === name);
        if (!entry) throw missing();
        return [name, { name: `${path}: ${entry.name}`, bytes: entry.bytes, read: () => entry.read() }];
      }),
    ),
  );
};
