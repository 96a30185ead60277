import { execFileSync } from 'node:child_process';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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

/**
 * Makes this process the workspace's only owner and answers with how to let go. A lock whose holder is gone is taken over;
 * a live holder is a `conflict` that names it.
 */
export function lockWorkspace(folder: string): () => void {
  const path = join(folder, 'lock');
  const own = JSON.stringify({ pid: process.pid, started: processStart(process.pid) } satisfies Holder);
  for (;;) {
    if (create(path, own)) return () => rmSync(path, { force: true });
    const text = readLock(path);
    if (text === null) continue; // let go of in this moment
    const holder = parse(text);
    if (holder && isAlive(holder)) {
      throw new WhetstoneError('conflict', `This workspace is open in another Whetstone (process ${holder.pid}).`, { where: folder, hint: 'Close it there first, or use that window.' });
    }
    takeAway(path, text);
  }
}

/** Makes the whole file at once, so that nobody reads half a lock; false where there is one. */
function create(path: string, text: string): boolean {
  const written = `${path}-${uuid()}`;
  try {
    writeFileSync(written, text, { flag: 'wx' });
    linkSync(written, path);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    rmSync(written, { force: true });
  }
}

function readLock(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Null for what is no lock of ours: nobody can hold it. */
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
function takeAway(path: string, stale: string): void {
  const aside = `${path}-${uuid()}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return;
    throw error;
  }
  try {
    if (readFileSync(aside, 'utf8') !== stale) linkSync(aside, path);
  } finally {
    rmSync(aside, { force: true });
  }
}
