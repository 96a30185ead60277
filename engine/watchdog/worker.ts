/** The thread that looks whether the process which started this one still lives. */
import { workerData } from 'node:worker_threads';
import type { Watched } from './index.ts';

/** Time between two looks, in milliseconds. */
const LOOK_MS = 300;

const { pid, isParent, leads } = workerData as Watched;
const parentAtFirst = process.ppid;

const lives = (): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // one that may not be signalled is there
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
};

// a process that ended stays listed until its own parent has asked for its end, so that the number of the
// parent is what tells
const isGone = (): boolean =>
  isParent && process.platform !== 'win32'
    ? process.ppid !== pid
    : process.ppid !== parentAtFirst || !lives();

setInterval(() => {
  if (!isGone()) return;
  // nothing in this process can answer any more: what it is doing is cut short
  process.kill(leads ? -process.pid : process.pid, 'SIGKILL');
}, LOOK_MS);
