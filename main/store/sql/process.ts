/** Entry point of the process that runs one SQL statement: one request comes in, one reply goes out. */
import { join } from 'node:path';
import { watchStarter } from '../../../engine/watchdog/index.ts';
import { openReadOnly, storeError } from '../database.ts';
import type { SqlReply, SqlRequest } from './protocol.ts';
import { runStatement } from './statement.ts';

/** Electron's `process.parentPort` of a utility process; absent in a forked Node process. */
interface ParentPort {
  once(event: 'message', listener: (message: { readonly data: unknown }) => void): void;
  postMessage(message: unknown): void;
}

function replyTo(request: SqlRequest): SqlReply {
  try {
    const source = openReadOnly(join(request.folder, 'workspace.db'));
    try {
      return { result: runStatement(source, request) };
    } finally {
      source.close();
    }
  } catch (error) {
    return { error: storeError(error, request.folder).facts };
  }
}

watchStarter();
const port = (process as { parentPort?: ParentPort }).parentPort;
if (port) port.once('message', ({ data }) => port.postMessage(replyTo(data as SqlRequest)));
else {
  process.on('disconnect', () => process.exit(0));
  process.once('message', (request) => process.send?.(replyTo(request as SqlRequest)));
}
