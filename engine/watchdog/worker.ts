/** The thread that checks whether the parent process still lives. */
import { workerData } from 'node:worker_threads';
import type { Watched } from './index.ts';

/** Time between two checks, in milliseconds. */
const CHECK_MS = 300;

const { pid, isParent, leads } = workerData as Watched;
const parentAtFirst = process.ppid;

const lives = (): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // a process that may not be signalled exists
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
};

// an ended process stays listed until its own parent reaps it, so the parent's id is what shows its end
const isGone = (): boolean =>
  isParent && process.platform !== 'win32'
    ? process.ppid !== pid
    : process.ppid !== parentAtFirst || !lives();

setInterval(() => {
  if (!isGone()) return;
  // the main thread may be blocked, so its work is killed
  process.kill(leads ? -process.pid : process.pid, 'SIGKILL');
}, CHECK_MS);
