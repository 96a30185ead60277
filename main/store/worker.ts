import { parentPort, workerData } from 'node:worker_threads';
import { join } from 'node:path';
import { openDatabase, storeError } from './database.ts';
import { storeModules } from './modules.ts';
import type { StoreReply, StoreRequest, WorkerOptions } from './client.ts';

/** The one writer of a workspace. SQLite is synchronous, so it lives in a thread of its own. */
const port = parentPort;
if (!port) throw new Error('the store runs as a worker thread');
const { folder, maxPages, create } = workerData as WorkerOptions;

try {
  const db = openDatabase(join(folder, 'workspace.db'), { create, maxPages });
  const modules: { readonly [module: string]: { readonly [query: string]: unknown } } = storeModules({ db, folder });

  const answer = async ({ id, module, query, args }: StoreRequest): Promise<void> => {
    try {
      if (module === 'close') {
        db.close();
        port.postMessage({ id, output: undefined } satisfies StoreReply);
        port.close();
        return;
      }
      const action = modules[module]?.[query];
      if (typeof action !== 'function') throw new Error(`the store has no query ${module}.${query}`);
      const output: unknown = await action(...args);
      port.postMessage({ id, output } satisfies StoreReply);
    } catch (error) {
      port.postMessage({ id, error: storeError(error, folder).facts } satisfies StoreReply);
    }
  };
  port.on('message', (request: StoreRequest) => void answer(request));
  port.postMessage({ id: 0, output: undefined } satisfies StoreReply);
} catch (error) {
  port.postMessage({ id: 0, error: storeError(error, folder).facts } satisfies StoreReply);
  port.close();
}
