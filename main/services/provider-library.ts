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
 * Provider libraries by version of the runtime, platform and device, as the wheel `onnxruntime-gpu` of that
 * version holds them. They run inside the engine, so nothing but these very files is put beside the runtime.
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

/** The files that a device needs beside the runtime. Throws `unsupported` where none are known for it. */
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
  /** A wheel (.whl), a folder that holds the files, or an address of such a wheel. */
  readonly source: string;
  readonly library: Library;
  /** The runtime's own folder: it looks there only, so nothing can stand in a folder below it. */
  readonly folder: string;
  readonly signal?: AbortSignal;
  /** Bytes that have been fetched and checked, of how many. */
  report(phase: 'fetching' | 'checking', done: number, total: number): void;
}

interface Source {
  readonly name: string;
  readonly bytes: number;
  read(): Promise<Readable>;
}

/**
 * Files on their way, and the same folder once all of them are there and right: from then on the installation
 * is only finished, never begun again.
 */
const partial = 'whetstone-library.part';
const complete = 'whetstone-library';

/**
 * Puts a provider library beside the runtime, all of it or nothing. The files are written into a folder of
 * their own, each read no further than its known size and checked against its SHA-256. When all are right,
 * that folder is renamed once, and from then on only moves into place are left: an installation that ends
 * between them is finished by the next one. What an earlier one left on its way is removed. Throws
 * `not-found` where the source lacks a file, `untrusted` where one is not the expected one, `disk-full`, or
 * `conflict` where the folder cannot be written or another process installs there now.
 */
export async function installLibrary({ source, library, folder, signal, report }: Installing): Promise<void> {
  let release = (): void => undefined;
  try {
    await mkdir(folder, { recursive: true });
    release = lockFile(
      join(folder, 'whetstone-install'),
      {},
      (pid) =>
        new WhetstoneError('conflict', `Another Whetstone (process ${pid}) installs a library just now.`, {
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
    // the first error says more than that of cleaning up
    await rm(join(folder, partial), { recursive: true, force: true }).catch(() => undefined);
    throw fault(error, folder);
  } finally {
    release();
  }
}

/** Writes every file of the library, checked, into a folder that did not exist. */
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
  for (const [name, wanted] of Object.entries(library)) {
    const { name: from, bytes, read } = found[name];
    if (bytes !== wanted.bytes) throw untrusted(name, from);
    const hash = createHash('sha256');
    const look = counted((count) => report('checking', (done += count), total), {
      most: wanted.bytes,
      tooMuch: () => untrusted(name, from),
      hash,
    });
    await pipeline(await read(), look, createWriteStream(join(into, name), { flags: 'wx', flush: true }), {
      signal,
    });
    if (hash.digest('hex') !== wanted.sha256) throw untrusted(name, from);
  }
  if (path !== source) await rm(path);
};

/**
 * The files that are still staged, moved beside the runtime in the order of their names backwards: what
 * others need (`…_shared`) comes first.
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
 * Whether a folder was staged whole: each file of the library is in it, or already where it belongs, and is
 * the right one.
 */
const isComplete = async (staged: string, library: Library): Promise<boolean> => {
  const names = await readdir(staged).catch(() => null);
  if (!names || names.some((name) => !(name in library))) return false;
  for (const [name, wanted] of Object.entries(library)) {
    const path = join(names.includes(name) ? staged : dirname(staged), name);
    if (
      (await stat(path).then(
        ({ size }) => size,
        () => null,
      )) !== wanted.bytes
    )
      return false;
    const hash = createHash('sha256');
    await pipeline(createReadStream(path), hash);
    if (hash.digest('hex') !== wanted.sha256) return false;
  }
  return true;
};

/** Writes a folder's entries to the disk, where the system can. */
const synced = async (folder: string): Promise<void> => {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** A wheel holds the library, packed, and others of its kind: more than this is none. */
const archiveMost = (total: number): number => 4 * total + 2 ** 20;

const untrusted = (name: string, where: string): WhetstoneError =>
  new WhetstoneError('untrusted', `${name} is not the file that belongs to this version of the runtime.`, {
    where,
    hint: 'Use the wheel onnxruntime-gpu of the runtime’s own version.',
  });

const fault = (error: unknown, folder: string): WhetstoneError => {
  const { code, name } = error as NodeJS.ErrnoException;
  if (name === 'AbortError') return new WhetstoneError('cancelled', 'The installation was stopped.');
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

/**
 * Passes bytes on, counts and hashes them, and fails at the first one too many, before it reaches the disk.
 */
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
 * Downloads a file of at most so many bytes. Throws `not-found` where it cannot be fetched, `untrusted` where
 * it is larger.
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
