import { utilityProcess } from 'electron';
import type { FromEngine } from '../../engine/schema/messages.ts';
import { lastWords, type SpawnEngine } from '../engine-host/channel.ts';

/** Spawns `entry` (the bundled engine process) as a utility process of Electron: same file, same messages as a forked Node. */
export const utilityEngine = (entry: string): SpawnEngine => () => {
  const child = utilityProcess.fork(entry, [], { serviceName: 'Whetstone engine', stdio: ['ignore', 'inherit', 'pipe'] });
  const words = lastWords();
  child.stderr?.on('data', (bytes: Buffer) => {
    words.add(bytes.toString('utf8'));
    process.stderr.write(bytes);
  });
  return {
    get pid() { return child.pid; },
    send: (message) => child.postMessage(message),
    onMessage: (receive) => void child.on('message', (message: FromEngine) => receive(message)),
    onExit: (gone) => void child.once('exit', (code) => gone([`ended with code ${code}`, words.read()].filter(Boolean).join(': '))),
    // its own kill() only asks, and a process inside a graph does not answer
    kill: () => void (child.pid === undefined ? child.kill() : process.kill(child.pid, 'SIGKILL')),
  };
};
