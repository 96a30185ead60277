import { basename, extname, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ReadEvent } from '../../engine/index.ts';
import { WhetstoneError, type ErrorFacts } from '../../engine/schema/errors.ts';
import type { Dataset, ImportProgress } from '../../preload/contract/datasets.ts';
import type { StoreClient } from '../store/client.ts';
import { storeError } from '../store/database.ts';

export interface ImportOptions {
  readonly path: string;
  /** Leave broken lines out, and keep them aside with their reasons; else the first one refuses the file. */
  readonly keepGoodLines: boolean;
}
export type ImportTold = ReadEvent | { readonly state: 'failed'; readonly error: ErrorFacts };

const entry = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './import-worker.js', import.meta.url);

/** What the import's thread says, one after the other; the next is asked for when the last was dealt with. */
async function* told(options: ImportOptions, signal: AbortSignal): AsyncGenerator<ReadEvent> {
  const worker = new Worker(entry, { workerData: options });
  let next = Promise.withResolvers<ImportTold>();
  const cancel = (): void => next.reject(new WhetstoneError('cancelled', 'The import was cancelled.', { where: options.path }));
  signal.addEventListener('abort', cancel);
  worker.on('message', (message: ImportTold) => next.resolve(message));
  worker.on('error', (error) => next.reject(error));
  worker.on('exit', () => next.reject(new WhetstoneError('internal', 'The import ended without a result.', { where: options.path })));
  // a rejection that comes while nobody waits is thrown at the next turn
  next.promise.catch(() => undefined);
  try {
    for (;;) {
      if (signal.aborted) cancel();
      const message = await next.promise;
      if (message.state === 'failed') throw WhetstoneError.from(message.error);
      next = Promise.withResolvers<ImportTold>();
      next.promise.catch(() => undefined);
      yield message;
      if (message.state === 'done') return;
      worker.postMessage('stored');
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    await worker.terminate();
  }
}

/**
 * Reads a file into a dataset: all or nothing. Rows are staged batch by batch, so that labels can be stored in between, and become
 * visible in the step that ends the import. Throws what reading throws (with file and line), `disk-full`, `cancelled`.
 */
export async function importDataset(store: StoreClient, { name, ...options }: ImportOptions & { name: string }, signal: AbortSignal, say: (progress: ImportProgress) => void): Promise<Dataset> {
  const path = resolve(options.path);
  const start = performance.now();
  const id = await store.datasets.stage({ name: name || basename(path, extname(path)), source: path });
  let rows = 0;
  try {
    for await (const event of told({ ...options, path }, signal)) {
      if (event.state === 'done') {
        const dataset = await store.datasets.finish(id, { hash: event.hash, doctor: event.doctor });
        say({ state: 'done', dataset });
        return dataset;
      }
      await store.datasets.append(id, [...event.rows], [...event.rejected]);
      rows += event.rows.length;
      const { bytes, totalBytes } = event;
      const seconds = (performance.now() - start) / 1000;
      say({ state: 'reading', bytes, totalBytes, rows, secondsLeft: bytes > 0 ? (seconds * (totalBytes - bytes)) / bytes : null });
    }
    throw new WhetstoneError('internal', 'The import ended without a result.', { where: path });
  } catch (error) {
    await store.datasets.discard(id);
    throw storeError(error, path);
  }
}
