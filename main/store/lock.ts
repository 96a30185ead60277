import { execFileSync } from 'node:child_process';
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WhetstoneError } from '../../engine/schema/errors.ts';
import { uuid } from './uuid.ts';

interface Holder {
  readonly pid: number;
  /** When the process started, in the system's own words: a later process with the same pid is another one. */
  readonly started: string | null;
}
const isCode = (error: unknown, code: string): boolean => typeof error === 'object' && error !== null && 'code' in error && error.code === code;

/** Instead of a start: the process has ended, and only its parent has not looked yet. It is nobody's start, so such a lock is stale. */
const ended = 'ended';

/** When a process started; `ended` for one that its parent has not buried yet; null where the system does not tell. */
export function processStart(pid: number): string | null {
  try {
    if (process.platform === 'linux') {
      // the 3rd and the 22nd field, counted behind the command's name, which may hold spaces and brackets
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      return fields[0] === 'Z' || fields[0] === 'X' ? ended : fields[19] ?? null;
    }
    if (process.platform === 'darwin') return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null;
  } catch {
    return null; // gone, or hidden: the pid decides alone
  }
  return null;
}

function isAlive({ pid, started }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (isCode(error, 'ESRCH')) return false;
  }
  const now = processStart(pid);
  // where the system does not tell, the pid decides alone: better to refuse than to take a live workspace away
  return started === null || now === null || now === started;
}

/** Names a second entry for a file, and fails with EEXIST where there is one: how a lock appears whole. */
type Link = (from: string, to: string) => void;

/**
 * Makes this process the workspace's only owner and answers with how to let go. A lock whose holder is gone is taken over;
 * a live holder is a `conflict` that names it. `link` is how this file system makes hard links.
 */
export function lockWorkspace(folder: string, link: Link = linkSync): () => void {
  const path = join(folder, 'lock');
  const own = JSON.stringify({ pid: process.pid, started: processStart(process.pid) } satisfies Holder);
  for (;;) {
    if (create(path, own, link)) return () => rmSync(path, { force: true });
    const text = readLock(path);
    if (text === null) continue; // let go of in this moment
    const holder = parse(text);
    if (holder && isAlive(holder)) {
      throw new WhetstoneError('conflict', `This workspace is open in another Whetstone (process ${holder.pid}).`, { where: folder, hint: 'Close it there first, or use that window.' });
    }
    if (!holder && isBeingWritten(path)) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
      continue;
    }
    takeAway(path, text, link);
  }
}

/** What file systems without hard links say (exFAT, some network and FUSE mounts). */
const withoutLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Makes the whole file at once, so that nobody reads half a lock; false where there is one. */
function create(path: string, text: string, link: Link): boolean {
  const written = `${path}-${uuid()}`;
  try {
    writeFileSync(written, text, { flag: 'wx' });
    appear(written, path, link);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    rmSync(written, { force: true });
  }
}

/** A file under a second name, unless there is one: EEXIST. Without hard links it is made empty and then filled, which readers wait for. */
function appear(from: string, to: string, link: Link): void {
  try {
    link(from, to);
  } catch (error) {
    if (!withoutLinks.some((code) => isCode(error, code))) throw error;
    writeFileSync(to, readFileSync(from), { flag: 'wx' });
  }
}

/** Longest time that filling a lock takes; what is no lock and older than this is nobody's. */
const fillingMs = 1000;

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
function parse(text: string): Holder | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'pid' in value && typeof value.pid === 'number'
      ? { pid: value.pid, started: 'started' in value && typeof value.started === 'string' ? value.started : null } : null;
  } catch {
    return null;
  }
}

/** Removes a stale lock, and puts it back if another process replaced it between reading and renaming. */
function takeAway(path: string, stale: string, link: Link): void {
  const aside = `${path}-${uuid()}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return;
    throw error;
  }
  try {
    if (readFileSync(aside, 'utf8') !== stale) appear(aside, path, link);
  } finally {
    rmSync(aside, { force: true });
  }
}
