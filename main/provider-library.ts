import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { WhetstoneError } from '../engine/schema/errors.ts';
import { readZip } from './zip.ts';

/** One file of a provider library: its size and SHA-256. */
export interface LibraryFile { readonly bytes: number; readonly sha256: string }
export type Library = Readonly<Record<string, LibraryFile>>;

/**
 * Provider libraries by version of the runtime, platform and device, as the wheel `onnxruntime-gpu` of that version holds them. They run inside the
 * engine, so nothing but these very files is put beside the runtime.
 */
const libraries: Readonly<Record<string, Library>> = {
  '1.30.0 linux-x64 cuda': {
    'libonnxruntime_providers_cuda.so': { bytes: 272_049_904, sha256: '9d7587acb137b31bf84e4d32dc444b969bb601d098b01395effcacfe4341e364' },
    'libonnxruntime_providers_shared.so': { bytes: 14_632, sha256: '086ec1d5388f64153d9c63470d126693db9a182c8ce236d3a1119068471b8a0d' },
  },
};

/** The files that a device needs beside the runtime. Throws `unsupported` where none are known for it. */
export const libraryFor = (runtimeVersion: string, id: string, platform = `${process.platform}-${process.arch}`): Library => {
  const library = libraries[`${runtimeVersion} ${platform} ${id}`];
  if (!library) throw new WhetstoneError('unsupported', `No provider library of '${id}' is known for version ${runtimeVersion} of the runtime on ${platform}.`, { where: id });
  return library;
};

export interface Installing {
  /** A wheel (.whl), a folder that holds the files, or an address of such a wheel. */
  readonly source: string;
  readonly library: Library;
  /** The runtime's own folder: it looks there only. */
  readonly folder: string;
  readonly signal?: AbortSignal;
  /** Bytes that have been fetched and checked, of how many. */
  report(phase: 'fetching' | 'checking', done: number, total: number): void;
}

interface Source { readonly name: string; read(): Promise<Readable> }

/**
 * Puts a provider library beside the runtime. Every file is written under another name, checked against its SHA-256, and renamed only when all are
 * right. Throws `not-found` where the source lacks a file, `untrusted` where one is not the expected one, `disk-full`, or `conflict` where the
 * folder cannot be written.
 */
export async function installLibrary({ source, library, folder, signal, report }: Installing): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'whetstone-provider-'));
  const written: string[] = [];
  try {
    const path = /^https?:/.test(source) ? await fetched(source, work, { signal, report }) : source;
    const found = await filesIn(path, Object.keys(library));
    const total = Object.values(library).reduce((sum, { bytes }) => sum + bytes, 0);
    await mkdir(folder, { recursive: true });
    let done = 0;
    for (const [name, wanted] of Object.entries(library)) {
      const part = join(folder, `${name}.part`);
      written.push(part);
      const hash = createHash('sha256');
      await pipeline(await found[name].read(), counted((bytes) => report('checking', done += bytes, total), hash), createWriteStream(part), { signal });
      if (hash.digest('hex') !== wanted.sha256) {
        throw new WhetstoneError('untrusted', `${name} is not the file that belongs to this version of the runtime.`, { where: found[name].name, hint: 'Use the wheel onnxruntime-gpu of the runtime’s own version.' });
      }
    }
    for (const part of written) await rename(part, part.slice(0, -'.part'.length));
  } catch (error) {
    for (const part of written) await rm(part, { force: true });
    throw fault(error, folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

const fault = (error: unknown, folder: string): WhetstoneError => {
  const { code, name } = error as NodeJS.ErrnoException;
  if (name === 'AbortError') return new WhetstoneError('cancelled', 'The installation was stopped.');
  if (code === 'ENOSPC') return new WhetstoneError('disk-full', 'There is no room for the provider library.', { where: folder });
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return new WhetstoneError('conflict', 'The folder of the runtime cannot be written.', { where: folder, hint: 'Install the app where you may write, or start it once as an administrator.', cause: error });
  if (code?.startsWith('Z_')) return new WhetstoneError('invalid-input', 'The archive is damaged.', { hint: 'Fetch the file again.', cause: error });
  return WhetstoneError.from(error);
};

const counted = (count: (bytes: number) => void, hash?: ReturnType<typeof createHash>): Transform => new Transform({
  transform(chunk: Buffer, _encoding, done) {
    hash?.update(chunk);
    count(chunk.length);
    done(null, chunk);
  },
});

/** Downloads a file. Throws `not-found` where it cannot be fetched. */
const fetched = async (address: string, into: string, { signal, report }: Pick<Installing, 'signal' | 'report'>): Promise<string> => {
  const unreachable = (why: string, cause?: unknown) => new WhetstoneError('not-found', `The library cannot be fetched: ${why}.`, { where: address, hint: 'Check the address and the connection, or fetch the file yourself and choose it here.', cause });
  const answer = await fetch(address, { signal }).catch((cause: unknown) => {
    if (signal?.aborted) throw cause;
    throw unreachable('there is no answer', cause);
  });
  if (!answer.ok || !answer.body) throw unreachable(`the answer was ${answer.status}`);
  const total = Number(answer.headers.get('content-length') ?? 0);
  const path = join(into, 'library.whl');
  let done = 0;
  await pipeline(Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]), counted((bytes) => report('fetching', done += bytes, total)), createWriteStream(path), { signal });
  return path;
};

const filesIn = async (path: string, names: readonly string[]): Promise<Readonly<Record<string, Source>>> => {
  const facts = await stat(path).catch((cause: unknown) => { throw new WhetstoneError('not-found', 'There is no such file or folder.', { where: path, cause }); });
  const entries = facts.isDirectory() ? [] : await readZip(path);
  return Object.fromEntries(await Promise.all(names.map(async (name): Promise<[string, Source]> => {
    const missing = () => new WhetstoneError('not-found', `${name} is not in there.`, { where: path, hint: 'Choose the wheel onnxruntime-gpu of the runtime’s version, or a folder with its libraries.' });
    if (facts.isDirectory()) {
      const file = join(path, name);
      await access(file).catch(() => { throw missing(); });
      return [name, { name: file, read: () => Promise.resolve(createReadStream(file)) }];
    }
    const entry = entries.find((each) => basename(each.name) === name);
    if (!entry) throw missing();
    return [name, { name: `${path}: ${entry.name}`, read: () => entry.read() }];
  })));
};
