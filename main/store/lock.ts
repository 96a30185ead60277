import { execFileSync } from 'node:child_process';
import {
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { fileMode } from './private.ts';
import { uuid } from './uuid.ts';

interface Holder {
  readonly pid: number;
  /** Start time of the process, in the system's format; distinguishes a later process with the same pid. */
  readonly started: string | null;
  /** Unique id of a lock, by which its holder recognizes it. */
  readonly id: string;
}
const isCode = (error: unknown, code: string): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === code;

/**
 * Start time of a zombie process: it has ended, but its parent has not collected it. A lock with this pid is
 * stale.
 */
const ended = 'ended';

/** Start time of a process; `ended` for a zombie; null on systems that do not report it. */
export function processStart(pid: number): string | null {
  try {
    if (process.platform === 'linux') {
      // the 3rd and the 22nd field, counted after the command's name, which may contain spaces and brackets
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      return fields[0] === 'Z' || fields[0] === 'X' ? ended : (fields[19] ?? null);
    }
    if (process.platform === 'darwin')
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null;
  } catch {
    return null; // gone or hidden: only the pid counts
  }
  return null;
}

function isAlive({ pid, started }: Pick<Holder, 'pid' | 'started'>): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (isCode(error, 'ESRCH')) return false;
  }
  const now = processStart(pid);
  // without a start time only the pid counts: better to refuse than to take over an open workspace
  return started === null || now === null || now === started;
}

/** File system calls, replaceable for tests of other file systems. */
export interface LockFiles {
  /** Hard-links a file, so that a lock appears complete; fails with EEXIST if the target exists. */
  link?(this: void, from: string, to: string): void;
  /** Writes the text of an empty lock, on file systems without hard links. */
  fill?(this: void, file: number, text: string): void;
}

/**
 * Makes this process the workspace's only owner; returns the function that releases it. Takes over a lock
 * whose holder has ended. Throws `conflict` with the pid of a live holder.
 */
export const lockWorkspace = (folder: string, files: LockFiles = {}): (() => void) =>
  lockFile(
    join(folder, 'lock'),
    files,
    (pid) =>
      new WhetstoneError('conflict', `This workspace is open in another Whetstone (process ${pid}).`, {
        where: folder,
        hint: 'Close it there first, or use that window.',
      }),
  );

/** True if a live process owns the workspace. */
export function isOwned(folder: string): boolean {
  const path = join(folder, 'lock');
  const text = readLock(path);
  if (text === null) return false;
  const holder = parse(text);
  return holder ? isAlive(holder) : isBeingWritten(path);
}

/** Locks any file; `held` makes the error for a live holder. */
export function lockFile(
  path: string,
  { link = linkSync, fill = writeSync }: LockFiles,
  held: (pid: number) => WhetstoneError,
): () => void {
  const how = { link, fill };
  const own = JSON.stringify({
    pid: process.pid,
    started: processStart(process.pid),
    id: uuid(),
  } satisfies Holder);
  for (;;) {
    if (create(path, own, how))
      return () => {
        if (readLock(path) === own) rmSync(path, { force: true });
      };
    // check the age before the content: a lock that is filled after this check took too long and is given up
    // by its maker
    const young = isBeingWritten(path);
    const text = readLock(path);
    if (text === null) continue; // released just now
    const holder = parse(text);
    if (holder && isAlive(holder)) throw held(holder.pid);
    if (!holder && young) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
      continue;
    }
    takeAway(path, text, how);
  }
}

type How = Required<LockFiles>;

/** Error codes of file systems without hard links (exFAT, some network and FUSE mounts). */
const withoutLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Creates the lock complete, so that no process reads a partial one; false if it exists. */
function create(path: string, text: string, how: How): boolean {
  const written = `${path}-${uuid()}`;
  try {
    writeFileSync(written, text, { flag: 'wx', mode: fileMode });
    return appear(written, path, how);
  } finally {
    rmSync(written, { force: true });
  }
}

/**
 * Gives a file a second name; false if that exists. Without hard links it creates an empty file and fills it,
 * and other processes wait for a limited time. A lock that took too long to fill may have been removed as
 * stale, so its maker gives it up.
 */
function appear(from: string, to: string, { link, fill }: How): boolean {
  try {
    link(from, to);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    if (!withoutLinks.some((code) => isCode(error, code))) throw error;
  }
  const text = readFileSync(from, 'utf8');
  const began = performance.now();
  let file: number;
  try {
    file = openSync(to, 'wx', fileMode);
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
  try {
    fill(file, text);
  } finally {
    closeSync(file);
  }
  const late = performance.now() - began > fillingMs / 4;
  const mine = readLock(to) === text;
  if (mine && late) rmSync(to, { force: true });
  return mine && !late;
}

/**
 * Longest time to fill a lock, in milliseconds, including coarse file system clocks. Older files that are not
 * valid locks are stale.
 */
const fillingMs = 4000;

function isBeingWritten(path: string): boolean {
  const facts = statSync(path, { throwIfNoEntry: false });
  // after a clock was set back, a stale file must not look new forever
  return facts !== undefined && Math.abs(Date.now() - facts.mtimeMs) < fillingMs;
}

function readLock(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Parses a lock; null for other content, which is stale unless it is being written. */
function parse(text: string): Pick<Holder, 'pid' | 'started'> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'pid' in value && typeof value.pid === 'number'
      ? {
          pid: value.pid,
          started: 'started' in value && typeof value.started === 'string' ? value.started : null,
        }
      : null;
  } catch {
    return null;
  }
}

/** Removes a stale lock, and restores it if another process replaced it between reading and renaming. */
function takeAway(path: string, stale: string, how: How): void {
  const aside = `${path}-${uuid()}`;
  if (readLock(path) !== stale) return;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return;
    throw error;
  }
  try {
    if (readFileSync(aside, 'utf8') !== stale) appear(aside, path, how);
  } finally {
    rmSync(aside, { force: true });
  }
}
