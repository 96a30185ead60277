import { parentPort, workerData } from 'node:worker_threads';
import { join } from 'node:path';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { openDatabase, openForCheckpoints, openReadOnly, storeError, type Db } from './database.ts';
import { temporaryTables } from './labels/label-set-making.ts';
import { storeModules } from './modules.ts';
import { tidyCurves } from './metric-points.ts';
import { isSliced, Slices } from './slices.ts';
import { sweep } from './sweep.ts';
import type { Role, StoreReply, StoreRequest, ThreadOptions } from './thread.ts';

/**
 * Entry of a store thread: SQLite is synchronous, so it never runs in main's own thread. One thread writes;
 * the others only read.
 */
const port = parentPort;
if (!port) throw new Error('the store runs as a worker thread');
const { folder, maxPages, create, role } = workerData as ThreadOptions;

const openAs: { readonly [R in Role]: (path: string) => Db } = {
  writer: (path) => openDatabase(path, { create, maxPages }),
  reader: openReadOnly,
  copier: openReadOnly,
  checkpointer: openForCheckpoints,
};

try {
  const path = join(folder, 'workspace.db');
  const db = openAs[role](path);
  if (role === 'writer') db.exec(temporaryTables);
  const slices = new Slices();
  const making = new Set<string>();
  const tidy = (): void => {
    if (role !== 'writer') return;
    // after a failure (a full disk), the next opening continues; the remaining rows are invisible
    slices.run(sweep(db, making)).catch((error: unknown) => {
      const reason = storeError(error, folder);
      if (reason.kind !== 'cancelled')
        console.error(`Removed rows could not be deleted yet: ${reason.message}`);
    });
  };
  const modules: { readonly [module: string]: { readonly [query: string]: unknown } } = storeModules({
    db,
    folder,
    tidy,
    making,
  });

  const answer = async ({ id, module, query, args }: StoreRequest): Promise<void> => {
    try {
      if (module === 'close') {
        slices.cancel();
        // lets the cancelled jobs send their replies first
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
        db.close();
        port.postMessage({ id, output: undefined, slices: slices.count } satisfies StoreReply);
        port.close();
        return;
      }
      const action = modules[module]?.[query];
      if (typeof action !== 'function')
        throw new WhetstoneError('internal', `The store has no query ${module}.${query}.`);
      const result: unknown = action(...args);
      const output = isSliced(result) ? await slices.run(result) : result;
      port.postMessage({ id, output, slices: slices.count } satisfies StoreReply);
    } catch (error) {
      port.postMessage({ id, error: storeError(error, folder).facts } satisfies StoreReply);
    }
  };
  port.on('message', (request: StoreRequest) => void answer(request));
  port.postMessage({ id: 0, output: undefined, slices: 0 } satisfies StoreReply);
  tidy();
  if (role === 'writer')
    slices.run(tidyCurves(db)).catch((error: unknown) => {
      const reason = storeError(error, folder);
      // the next opening continues; until then curves are read from their points
      if (reason.kind !== 'cancelled') console.error(`Curves could not be packed yet: ${reason.message}`);
    });
} catch (error) {
  port.postMessage({ id: 0, error: storeError(error, folder).facts } satisfies StoreReply);
  port.close();
}
