/**
 * A main process that is going to be killed: it has started a process that is watched, whose event loop
 * stands still for ever, and which has started one itself.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { watchOption } from '../../engine/watchdog/index.ts';

const blocked = fork(
  fileURLToPath(new URL('./blocked-child.ts', import.meta.url)),
  [watchOption({ pid: process.pid, isParent: true, leads: true })],
  { detached: true },
);
blocked.on('message', (child) =>
  process.stdout.write(`blocked ${JSON.stringify({ engine: blocked.pid, child })}\n`),
);
