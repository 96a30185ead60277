/**
 * Ends this process when the one that started it is gone. A thread of its own looks, since the event loop may
 * stand still for minutes inside one run of a graph, and hears of a closed channel only after it.
 */
import { Worker } from 'node:worker_threads';

/** Whose end is this process's end. */
export interface Watched {
  readonly pid: number;
  /**
   * Whether it is this process's parent for the system as well; Electron may start processes by a helper of
   * its own.
   */
  readonly isParent: boolean;
  /** Whether this process leads a group: then all that it has started end with it. */
  readonly leads: boolean;
}

const option = '--watch=';

/** How a starter names itself to the process that it starts. */
export const watchOption = (watched: Watched): string => `${option}${JSON.stringify(watched)}`;

const entry = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : './watchdog-worker.js',
  import.meta.url,
);

/** Watches the starter that this process was told of; none where it was told of none. */
export const watchStarter = (args: readonly string[] = process.argv): void => {
  const told = args.find((each) => each.startsWith(option));
  if (told === undefined) return;
  const watched = JSON.parse(told.slice(option.length)) as Watched;
  // it never keeps the process alive
  new Worker(entry, { workerData: watched, execArgv: [] }).unref();
};
