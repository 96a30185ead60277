import { chmodSync, closeSync, existsSync, lstatSync, openSync, readdirSync } from 'node:fs';
import { chmod, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { uuid } from './uuid.ts';

/**
 * File modes of a workspace: its content (prompts, answers, labels, models) is readable by its owner only.
 * Windows has no such modes.
 */
export const folderMode = 0o700;
export const fileMode = 0o600;

const others = 0o077;

/**
 * Removes the permissions of other users from a file or folder, but not through a link. Returns false if the
 * system refuses.
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
    // a file of another user, or a file system without modes
    if (code === 'EPERM' || code === 'ENOTSUP' || code === 'EROFS') return false;
    throw error;
  }
}

/**
 * Makes a folder private, with the existing entries for which `isOurs` is true and their content. Starts with
 * the folder, so that other users cannot reach the rest meanwhile.
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
      `Other users of this machine may be able to read ${folder}: its permissions could not be changed.`,
    );
}

/** True if an entry of a workspace's folder belongs to Whetstone. */
export const isOfWorkspace = (name: string): boolean =>
  name === 'artifacts' || /^(workspace\.db|lock)/.test(name);

/** Creates an empty private file, for a program that creates its files readable by all. */
export function createPrivate(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'wx', fileMode));
}

/** Creates a private folder; missing parents get the usual permissions. */
export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await mkdir(path, { recursive: true, mode: folderMode });
}

/**
 * Gives an exported folder and its files the user's usual permissions, because the engine writes them
 * readable by the owner only.
 */
export async function restorePermissions(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  // create a probe to find the usual mode of a new file
  const probe = join(folder, `.permissions-${uuid()}`);
  await writeFile(probe, '');
  const usual = (await stat(probe)).mode & 0o777;
  await rm(probe);
  for (const name of await readdir(folder)) await chmod(join(folder, name), usual);
  // read permission of files implies search permission of the folder
  await chmod(folder, usual | ((usual & 0o444) >> 2));
}
