import { utilityProcess } from 'electron';
import type { FromEngine } from '../../engine/schema/messages.ts';
import { isRelay } from '../../engine/schema/sandbox.ts';
import { watchOption } from '../../engine/watchdog/index.ts';
import { lastWords, type SpawnEngine } from '../engine-host/channel.ts';
import { relayedSandboxes } from './sandboxes.ts';

/**
 * Spawns `entry` (the bundled engine process) as a utility process of Electron: same file and messages as a
 * forked Node process. A utility process cannot start another, so its sandboxes, utility processes of
 * `sandboxEntry`, are started here.
 */
export const utilityEngine =
  (entry: string, sandboxEntry: string): SpawnEngine =>
  () => {
    // Electron may start the process through a helper, which is then its parent
    const watch = watchOption({ pid: process.pid, isParent: false, leads: false });
    const child = utilityProcess.fork(entry, [watch], {
      serviceName: 'Whetstone engine',
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    const words = lastWords();
    child.stderr?.on('data', (bytes: Buffer) => {
      words.add(bytes.toString('utf8'));
      process.stderr.write(bytes);
    });
    const sandboxes = relayedSandboxes(
      (cwd) =>
        utilityProcess.fork(sandboxEntry, [watch], {
          serviceName: 'Whetstone sandbox',
          stdio: 'ignore',
          env: {},
          cwd,
        }),
      (message) => child.postMessage(message),
    );
    child.on('message', (message: unknown) => {
      if (isRelay(message)) sandboxes.receive(message);
    });
    child.once('exit', () => sandboxes.close());
    return {
      get pid() {
        return child.pid;
      },
      send: (message) => child.postMessage(message),
      onMessage: (receive) =>
        void child.on('message', (message: unknown) => {
          if (!isRelay(message)) receive(message as FromEngine);
        }),
      onExit: (gone) =>
        void child.once('exit', (code) =>
          gone([`ended with code ${code}`, words.read()].filter(Boolean).join(': ')),
        ),
      // Electron's own kill() is a request, and a process inside a graph does not respond
      kill: () => void (child.pid === undefined ? child.kill() : process.kill(child.pid, 'SIGKILL')),
    };
  };
