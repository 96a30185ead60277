import { basename, extname, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { entryOf } from '../../engine/common/entry.ts';
import type { ColumnExample } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type {
  Dataset,
  ImportProgress,
  ImportPreview,
  PreviewProgress,
  Rejected,
} from '../../preload/contract/datasets.ts';
import type { StoreClient } from '../store/client.ts';
import { storeError } from '../store/database.ts';
import type { ImportMessage, ImportOptions } from './protocol.ts';

const entry = entryOf(import.meta.url, './worker.ts', './import-worker.js');

/** Messages of the import thread in order; the thread reads a few batches ahead of those that were handled. */
async function* messages(
  options: ImportOptions,
  signal: AbortSignal,
): AsyncGenerator<Exclude<ImportMessage, { state: 'failed' }>> {
  const worker = new Worker(entry, { workerData: options });
  const waiting: ImportMessage[] = [];
  const faults: Error[] = [];
  let wake: () => void = () => undefined;
  const fail = (error: Error): void => {
    faults.push(error);
    wake();
  };
  const cancel = (): void =>
    fail(new WhetstoneError('cancelled', 'The import was cancelled.', { where: options.path }));
  signal.addEventListener('abort', cancel);
  worker.on('message', (message: ImportMessage) => {
    waiting.push(message);
    wake();
  });
  worker.on('error', fail);
  worker.on('exit', () =>
    fail(new WhetstoneError('internal', 'The import ended without a result.', { where: options.path })),
  );
  try {
    if (signal.aborted) cancel();
    for (;;) {
      const message = signal.aborted ? undefined : waiting.shift();
      if (message === undefined) {
        if (faults.length > 0) throw faults[0];
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      if (message.state === 'failed') throw WhetstoneError.from(message.error);
      yield message;
      if (message.state !== 'reading') return;
      worker.postMessage('handled');
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    await worker.terminate();
  }
}

type Reading = Extract<ImportProgress, { state: 'reading' }>;

/** Progress of the reading, with an estimate of the remaining time at the average pace. */
const progressOf = (
  { bytes, totalBytes }: { bytes: number; totalBytes: number },
  rows: number,
  start: number,
): Reading => {
  const seconds = (performance.now() - start) / 1000;
  return {
    state: 'reading',
    bytes,
    totalBytes,
    rows,
    secondsLeft: bytes > 0 ? (seconds * (totalBytes - bytes)) / bytes : null,
  };
};

const nameOf = (path: string): string => {
  const unpacked = path.replace(/\.gz$/i, '');
  return basename(unpacked, extname(unpacked));
};

/** Broken lines shown in a preview; it counts all of them. */
const LINES_SHOWN = 100;

/**
 * Reads a file as an import of its good lines would, without storing anything. Throws the errors of reading,
 * `cancelled`.
 */
export async function previewFile(
  { path: file, mapping }: Pick<ImportOptions, 'path' | 'mapping'>,
  signal: AbortSignal,
  report: (progress: PreviewProgress) => void,
): Promise<ImportPreview> {
  const path = resolve(file);
  const start = performance.now();
  const rejected: Rejected[] = [];
  let rows = 0;
  for await (const event of messages({ path, keepGoodLines: true, countOnly: true, mapping }, signal)) {
    if (event.state === 'columns') continue;
    if (event.state === 'done') {
      const preview = { path, name: nameOf(path), doctor: event.doctor, rejected };
      report({ state: 'done', preview });
      return preview;
    }
    rows += event.count;
    rejected.push(...event.rejected.slice(0, LINES_SHOWN - rejected.length));
    report(progressOf(event, rows, start));
  }
  throw new WhetstoneError('internal', 'The preview of the file ended without a result.', { where: path });
}

/** The columns of a file, without storing anything. Throws the errors of opening it. */
export async function columnsOfFile(file: string): Promise<readonly ColumnExample[]> {
  const path = resolve(file);
  const { signal } = new AbortController();
  for await (const event of messages({ path, keepGoodLines: true, columnsOnly: true }, signal))
    if (event.state === 'columns') return event.columns;
  throw new WhetstoneError('internal', 'The columns of the file were not read.', { where: path });
}

/**
 * Reads a file into a dataset: all or nothing. Rows are staged batch by batch, so that labels can be stored
 * in between, and become visible in the import's last step. Throws the errors of reading (with file and
 * line), `disk-full`, `cancelled`.
 */
export async function importDataset(
  store: StoreClient,
  { name, ...options }: ImportOptions & { name: string },
  signal: AbortSignal,
  report: (progress: ImportProgress) => void,
): Promise<Dataset> {
  const path = resolve(options.path);
  const start = performance.now();
  const id = await store.datasets.stage({ name: name || nameOf(path), source: path });
  const log = new LogKeeper(store);
  let rows = 0;
  try {
    for await (const event of messages({ ...options, path }, signal)) {
      if (event.state === 'columns') continue;
      if (event.state === 'done') {
        await log.settled();
        const dataset = await store.datasets.finish(id, { hash: event.hash, doctor: event.doctor });
        report({ state: 'done', dataset });
        return dataset;
      }
      // one batch after the other: the order of stored rows is the order of the file
      await store.datasets.appendPacked(id, event.packed);
      if (event.rejected.length > 0) await store.datasets.append(id, [], [...event.rejected]);
      await log.grow(event.packed.bytes.length);
      rows += event.count;
      report(progressOf(event, rows, start));
    }
    throw new WhetstoneError('internal', 'The import ended without a result.', { where: path });
  } catch (error) {
    await log.settled().catch(() => undefined); // the first error counts
    await store.datasets.discard(id);
    throw storeError(error, path);
  }
}

/** Bytes of rows after which the log is moved into the file. */
const LOG_BYTES = 8_000_000;

/** Has the log moved into the file while the import goes on, one checkpoint at a time. */
class LogKeeper {
  readonly #store: StoreClient;
  #bytes = 0;
  #running: Promise<void> | null = null;
  #fault: unknown = null;

  constructor(store: StoreClient) {
    this.#store = store;
  }

  /** Counts stored bytes. Throws the error of an earlier checkpoint. */
  async grow(bytes: number): Promise<void> {
    this.#bytes += bytes;
    if (this.#fault !== null) await this.settled();
    if (this.#running || this.#bytes < LOG_BYTES) return;
    this.#bytes = 0;
    this.#running = this.#store.workspace
      .checkpoint()
      .catch((error: unknown) => {
        this.#fault = error;
      })
      .finally(() => {
        this.#running = null;
      });
  }

  async settled(): Promise<void> {
    await this.#running;
    if (this.#fault !== null) throw storeError(this.#fault, 'checkpoint');
  }
}
