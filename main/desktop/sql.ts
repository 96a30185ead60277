import { utilityProcess } from 'electron';
import { watchOption } from '../../engine/watchdog/index.ts';
import type { ServicesOptions } from '../services/services.ts';

type SpawnSql = NonNullable<ServicesOptions['spawnSql']>;
type SqlReply = Parameters<Parameters<ReturnType<SpawnSql>['onMessage']>[0]>[0];

/** Spawns `entry` (the bundled process of SQL statements) as a utility process of Electron. */
export const utilitySql =
  (entry: string): SpawnSql =>
  () => {
    // Electron may start the process through a helper, which is then its parent
    const watch = watchOption({ pid: process.pid, isParent: false, leads: false });
    const child = utilityProcess.fork(entry, [watch], {
      serviceName: 'Whetstone SQL',
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    let isToEnd = false;
    const end = (): void => {
      isToEnd = true;
      // Electron's own kill() is a request, and a process inside SQLite does not respond
      if (child.pid !== undefined) process.kill(child.pid, 'SIGKILL');
    };
    // it has no number before it is started
    child.once('spawn', () => {
      if (isToEnd) end();
    });
    return {
      send: (request) => child.postMessage(request),
      onMessage: (receive) => void child.on('message', (reply: unknown) => receive(reply as SqlReply)),
      onExit: (gone) => void child.once('exit', (code) => gone(`ended with code ${code}`)),
      kill: end,
    };
  };
