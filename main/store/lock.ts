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
  /**
   * When the process started, in the system's own words: a later process with the same pid is another one.
   */
  readonly started: string | null;
  /** Another one for each lock that is taken: what a holder finds its own lock again by. */
  readonly id: string;
}
const isCode = (error: unknown, code: string): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === code;

/**
 * Instead of a start: the process has ended, and only its parent has not looked yet. It is nobody's start, so
 * such a lock is stale.
 */
const ended = 'ended';

/**
 * When a process started; `ended` for one that its parent has not buried yet; null where the system does not
 * tell.
 */
export function processStart(pid: number): string | null {
  try {
    if (process.platform === 'linux') {
      // the 3rd and the 22nd field, counted behind the command's name, which may hold spaces and brackets
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      return fields[0] === 'Z' || fields[0] === 'X' ? ended : (fields[19] ?? null);
    }
    if (process.platform === 'darwin')
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null;
  } catch {
    return null; // gone, or hidden: the pid decides alone
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
  // where the system does not tell, the pid decides alone: better to refuse than to take a live workspace
  // away
  return started === null || now === null || now === started;
}

/** What a file system does, for those that do it otherwise. */
export interface LockFiles {
  /** Names a second entry for a file, and fails with EEXIST where there is one: how a lock appears whole. */
  link?(this: void, from: string, to: string): void;
  /** Fills a lock that was made empty, where there are no links. */
  fill?(this: void, file: number, text: string): void;
}

/**
 * Makes this process the workspace's only owner and answers with how to let go. A lock whose holder is gone
 * is taken over; a live holder is a `conflict` that names it.
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

/** The same for any file; `held` says what is wrong where a live process holds it. */
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
    // how old it is, before what it holds: one that is filled after this look has been too slow for its maker
    // to keep it
    const young = isBeingWritten(path);
    const text = readLock(path);
    if (text === null) continue; // let go of in this moment
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

/** What file systems without hard links say (exFAT, some network and FUSE mounts). */
const withoutLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Makes the whole file at once, so that nobody reads half a lock; false where there is one. */
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
 * A file under a second name; false where there is one. Without hard links it is made empty and then filled,
 * which others wait for, but not for ever: one that took too long may have been taken for a wreck, and is
 * given up.
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
 * Longest time that filling a lock takes, coarse clocks of file systems included; what is no lock and older
 * than this is nobody's.
 */
const fillingMs = 4000;

function isBeingWritten(path: string): boolean {
  const facts = statSync(path, { throwIfNoEntry: false });
  // a clock that was set back must not make a wreck young for ever
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

/** Null for what is no lock of ours: nobody holds it, unless it is being written. */
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

/** Removes a stale lock, and puts it back if another process replaced it between reading and renaming. */
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
