/**
 * A main process to be killed: it has started a watched process, whose event loop is blocked for ever, and
 * which has started another.
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
