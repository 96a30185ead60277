import { utilityProcess } from 'electron';
import type { FromEngine } from '../../engine/schema/messages.ts';
import { isRelay } from '../../engine/schema/sandbox.ts';
import { watchOption } from '../../engine/watchdog/index.ts';
import { lastWords, type SpawnEngine } from '../engine-host/channel.ts';
import { relayedSandboxes } from './sandboxes.ts';

/**
 * Spawns `entry` (the bundled engine process) as a utility process of Electron: same file, same messages as a
 * forked Node. A utility process starts no other, so its sandboxes, utility processes of `sandboxEntry`, are
 * started for it here.
 */
export const utilityEngine =
  (entry: string, sandboxEntry: string): SpawnEngine =>
  () => {
    // the system may know another process as their parent than the one that asked for them
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
      // its own kill() only asks, and a process inside a graph does not answer
      kill: () => void (child.pid === undefined ? child.kill() : process.kill(child.pid, 'SIGKILL')),
    };
  };
