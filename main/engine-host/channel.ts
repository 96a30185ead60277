import { fork, type ChildProcess } from 'node:child_process';
import type { FromEngine, ToEngine } from '../../engine/schema/messages.ts';
import { watchOption } from '../../engine/watchdog/index.ts';

/** Connection to one engine process, from Electron's `utilityProcess` or Node's `fork`. */
export interface EngineChannel {
  readonly pid: number | undefined;
  send(message: ToEngine): void;
  onMessage(receive: (message: FromEngine) => void): void;
  /** Called once. `reason` describes the end, with the last output on standard error. */
  onExit(gone: (reason: string) => void): void;
  /** Kills it at once, even if it is busy. */
  kill(): void;
}
export type SpawnEngine = () => EngineChannel;

/** Kills a process; if it leads a group, with all processes that it started. */
const endGroup = (child: ChildProcess, leads: boolean): void => {
  try {
    if (leads && child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    child.kill('SIGKILL'); // its group has already ended
  }
};

/** Characters of an engine's standard error kept for the error message. */
const lastWordsLength = 2000;

/** Keeps the end of a text that arrives in pieces. */
export function lastWords(): { add(text: string): void; read(): string } {
  let kept = '';
  return {
    add: (text) => {
      kept = (kept + text).slice(-lastWordsLength);
    },
    read: () => kept.trim(),
  };
}

/**
 * Forks `entry` (engine/process/index.ts, or its bundle) on this Node. Typed arrays are transferred as such.
 */
export const forkEngine =
  (entry: string, args: readonly string[] = []): SpawnEngine =>
  () => {
    const leads = process.platform !== 'win32';
    const child = fork(entry, [...args, watchOption({ pid: process.pid, isParent: true, leads })], {
      serialization: 'advanced',
      execArgv: [],
      // an engine's output goes to standard error: standard output is for the command's result
      stdio: ['ignore', 2, 'pipe', 'ipc'],
      // in a group of its own: Ctrl+C in a terminal reaches only this process, which stops the run in order;
      // the engine ends when this process does
      detached: leads,
    });
    const words = lastWords();
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      words.add(text);
      process.stderr.write(text);
    });
    return {
      pid: child.pid,
      send: (message) => {
        // a message to a process that has just died is lost; its exit event reports that
        if (child.connected) child.send(message, () => undefined);
      },
      onMessage: (receive) => child.on('message', (message) => receive(message as FromEngine)),
      onExit: (gone) => {
        child.once('error', (error) => gone(`could not be started: ${error.message}`));
        child.once('exit', (code, signal) =>
          gone(
            [signal ? `was ended by ${signal}` : `ended with code ${code}`, words.read()]
              .filter(Boolean)
              .join(': '),
          ),
        );
      },
      kill: () => endGroup(child, leads),
    };
  };
