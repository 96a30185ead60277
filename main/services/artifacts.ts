import { existsSync } from 'node:fs';
import { copyFile, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { StoreClient } from '../store/client.ts';
import { storeError } from '../store/database.ts';
import { folderMode, makePrivate, makePrivateFolder } from '../store/private.ts';

/** Younger files may be in the process of being written, without a row yet. */
const youngMs = 60_000;

/** Files checked per call to the store. */
const atOnce = 1000;

interface File {
  readonly path: string;
  readonly bytes: number;
  readonly age: number;
}

async function filesOf(folder: string): Promise<File[]> {
  const walk = async (below: string): Promise<File[]> => {
    const entries = (await unlessGone(readdir(below, { withFileTypes: true }))) ?? [];
    const found = await Promise.all(
      entries.map(async (e): Promise<File[]> => {
        const full = join(below, e.name);
        if (e.isDirectory()) return await walk(full);
        const facts = e.isFile() ? await unlessGone(stat(full)) : undefined;
        return facts
          ? [
              {
                path: relative(folder, full).split(sep).join('/'),
                bytes: facts.size,
                age: Date.now() - facts.mtimeMs,
              },
            ]
          : [];
      }),
    );
    return found.flat();
  };
  return await walk(join(folder, 'artifacts'));
}

/** Undefined if a listed file is gone: an active run renames new files and deletes old checkpoints. */
const unlessGone = <T>(action: Promise<T>): Promise<T | undefined> =>
  action.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });

/** Files that no row refers to, directly or by a folder above them. */
async function unused(store: StoreClient, folder: string): Promise<{ all: File[]; unused: File[] }> {
  const all = await filesOf(folder);
  // queried after the listing, so references made in between are included
  const old = all.filter((f) => f.age > youngMs);
  const free = new Set<string>();
  for (let from = 0; from < old.length; from += atOnce) {
    for (const path of await store.workspace.unreferenced(old.slice(from, from + atOnce).map((f) => f.path)))
      free.add(path);
  }
  return { all, unused: old.filter((f) => free.has(f.path)) };
}

const sum = (files: readonly File[]): number => files.reduce((total, f) => total + f.bytes, 0);

/** Bytes of the database, of all artifacts, and of unreferenced ones. */
export async function usage(
  store: StoreClient,
  folder: string,
): Promise<{ databaseBytes: number; artifactBytes: number; unusedBytes: number }> {
  const files = await unused(store, folder);
  return {
    databaseBytes: await store.workspace.databaseBytes(),
    artifactBytes: sum(files.all),
    unusedBytes: sum(files.unused),
  };
}

/** Deletes unreferenced artifacts. */
export async function collectUnused(store: StoreClient, folder: string): Promise<{ freedBytes: number }> {
  const files = await unused(store, folder);
  for (const { path } of files.unused) await rm(join(folder, path), { force: true });
  return { freedBytes: sum(files.unused) };
}

const FLUSH_MS = 20;

/**
 * Flushes a file to the disk while it is being written. Flushed only at its end, a large copy keeps the disk
 * busy for a tenth of a second, and a label that is stored then waits as long.
 */
async function flushing<T>(path: string, writing: Promise<T>): Promise<T> {
  let isOver = false;
  const over = Promise.allSettled([writing]).then(() => {
    isOver = true;
  });
  for (;;) {
    await Promise.race([over, pause(FLUSH_MS)]);
    if (isOver) return writing;
    await flush(path);
  }
}

/** Flushes what there is of a file; its writer finds out for itself whether it can be written. */
async function flush(path: string): Promise<void> {
  const file = await open(path, 'r+').catch(() => null);
  await file?.datasync().catch(() => undefined);
  await file?.close();
}

/**
 * Copies the workspace into a new folder, even during a run: a snapshot of the database, then every
 * artifact.
 */
export async function backupTo(
  store: StoreClient,
  folder: string,
  path: string,
): Promise<{ path: string; bytes: number }> {
  const target = resolve(path);
  if (target === folder || target.startsWith(folder + sep))
    throw new WhetstoneError('invalid-input', 'A backup cannot lie inside its own workspace.', {
      where: target,
      hint: 'Choose another folder.',
    });
  if (existsSync(target) && (await readdir(target)).length > 0)
    throw new WhetstoneError('conflict', 'This folder is not empty.', {
      where: target,
      hint: 'Choose a new folder for the backup.',
    });
  try {
    await makePrivateFolder(target);
    makePrivate(target, () => true); // it may have been there, empty
    // database first: every file that it names is written before its row, and is copied after it
    const database = join(target, 'workspace.db');
    await flushing(database, store.workspace.backup(database));
    for (const { path: file } of await filesOf(folder)) {
      const copy = join(target, file);
      await mkdir(dirname(copy), { recursive: true, mode: folderMode });
      await flushing(copy, unlessGone(copyFile(join(folder, file), copy)));
    }
    return {
      path: target,
      bytes: sum(await filesOf(target)) + (await stat(join(target, 'workspace.db'))).size,
    };
  } catch (error) {
    await rm(target, { recursive: true, force: true });
    throw storeError(error, target);
  }
}
