/**
 * A child watched by its parent's option: starts a process, reports it, and then blocks its event loop for
 * ever.
 */
import { spawn } from 'node:child_process';
import { watchStarter } from '../../engine/watchdog/index.ts';

watchStarter();
const child = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
process.send?.(child.pid, undefined, undefined, () => {
  for (;;);
});
