/** Watched by its starter's word; starts a process, says so, and never lets its event loop turn again. */
import { spawn } from 'node:child_process';
import { watchStarter } from '../../engine/watchdog/index.ts';

watchStarter();
const child = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
process.send?.(child.pid, undefined, undefined, () => {
  for (;;);
});
