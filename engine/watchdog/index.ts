/**
 * Ends this process when its parent is gone. A separate thread checks, since the event loop may be blocked
 * for minutes inside one run of a graph, and notices a closed channel only afterwards.
 */
import { Worker } from 'node:worker_threads';

/** The process whose end ends this one. */
export interface Watched {
  readonly pid: number;
  /**
   * True if it is also this process's parent in the operating system; Electron may start processes through a
   * helper.
   */
  readonly isParent: boolean;
  /** True if this process leads a group: its child processes then end with it. */
  readonly leads: boolean;
}

const option = '--watch=';

/** The option by which a parent names itself to the process it starts. */
export const watchOption = (watched: Watched): string => `${option}${JSON.stringify(watched)}`;

const entry = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : './watchdog-worker.js',
  import.meta.url,
);

/** Watches the parent named on the command line, if any. */
export const watchStarter = (args: readonly string[] = process.argv): void => {
  const argument = args.find((each) => each.startsWith(option));
  if (argument === undefined) return;
  const watched = JSON.parse(argument.slice(option.length)) as Watched;
  // it never keeps the process alive
  new Worker(entry, { workerData: watched, execArgv: [] }).unref();
};
