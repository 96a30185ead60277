import { chmodSync, closeSync, existsSync, lstatSync, openSync, readdirSync } from 'node:fs';
import { chmod, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { uuid } from './uuid.ts';

/**
 * What a workspace holds (prompts, answers, labels, models) is its owner's alone: modes of its folders and
 * files. Windows has no such modes.
 */
export const folderMode = 0o700;
export const fileMode = 0o600;

const others = 0o077;

/**
 * Takes from everybody else what they may do with a file or folder; a link is left alone, wherever it leads.
 * False where the system refuses.
 */
function closeToOthers(path: string): boolean {
  const facts = lstatSync(path, { throwIfNoEntry: false });
  if (!facts || facts.isSymbolicLink() || (facts.mode & others) === 0) return true;
  try {
    chmodSync(path, facts.mode & 0o777 & ~others);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return true;
    // somebody else's file, or a file system without modes
    if (code === 'EPERM' || code === 'ENOTSUP' || code === 'EROFS') return false;
    throw error;
  }
}

/**
 * Makes a folder private with everything of ours that was there before; `isOurs` says which of its own
 * entries that is, and what lies in those is ours, too. The folder comes first: from then on nobody else
 * reaches what lies in it.
 */
export function makePrivate(folder: string, isOurs: (name: string) => boolean): void {
  if (process.platform === 'win32') return;
  let all = closeToOthers(folder);
  const visit = (path: string, isFolder: boolean): void => {
    all = closeToOthers(path) && all;
    if (!isFolder) return;
    for (const entry of readdirSync(path, { withFileTypes: true }))
      visit(join(path, entry.name), entry.isDirectory());
  };
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (isOurs(entry.name)) visit(join(folder, entry.name), entry.isDirectory());
  if (!all)
    console.error(
      `Others on this machine may be able to read ${folder}: its permissions could not be changed.`,
    );
}

/** Whether an entry of a workspace's folder is one of ours. */
export const isOfWorkspace = (name: string): boolean =>
  name === 'artifacts' || /^(workspace\.db|lock)/.test(name);

/** An empty file that nobody else may read, for a program that creates its files readable by all. */
export function createPrivate(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'wx', fileMode));
}

/** Makes a private folder; those above it that are missing are made as usual. */
export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await mkdir(path, { recursive: true, mode: folderMode });
}

/**
 * Gives a folder that a person asked for, and the files in it, the permissions of their other files: the
 * engine writes for its owner alone.
 */
export async function makeUsual(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  // what a new file gets here is asked of the system
  const probe = join(folder, `.permissions-${uuid()}`);
  await writeFile(probe, '');
  const usual = (await stat(probe)).mode & 0o777;
  await rm(probe);
  for (const name of await readdir(folder)) await chmod(join(folder, name), usual);
  // whoever may read files may look into folders
  await chmod(folder, usual | ((usual & 0o444) >> 2));
}
