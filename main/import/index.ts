import { basename, extname, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ColumnExample, ReadEvent } from '../../engine/index.ts';
import { WhetstoneError, type ErrorFacts } from '../../engine/common/errors.ts';
import type {
  Dataset,
  ImportProgress,
  ImportPreview,
  PreviewProgress,
  Rejected,
} from '../../preload/contract/datasets.ts';
import type { Mapping } from '../../engine/schema/mapping.ts';
import type { StoreClient } from '../store/client.ts';
import { storeError } from '../store/database.ts';

export interface ImportOptions {
  readonly path: string;
  /** Skip broken lines, and store them with their reasons; else the first one refuses the file. */
  readonly keepGoodLines: boolean;
  /** Only count the rows. */
  readonly countOnly?: boolean;
  /** Only list the columns. */
  readonly columnsOnly?: boolean;
  /** Columns chosen by hand, instead of a detected layout. */
  readonly mapping?: Mapping;
}
/** `count`: rows of a batch, which is empty if they are only counted. */
export type ImportMessage =
  | (ReadEvent & { readonly count?: number })
  | { readonly state: 'columns'; readonly columns: readonly ColumnExample[] }
  | { readonly state: 'failed'; readonly error: ErrorFacts };

const entry = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : './import-worker.js',
  import.meta.url,
);

/** Messages of the import thread in order; requests the next one when the last has been handled. */
async function* messages(
  options: ImportOptions,
  signal: AbortSignal,
): AsyncGenerator<Exclude<ImportMessage, { state: 'failed' }>> {
  const worker = new Worker(entry, { workerData: options });
  let next = Promise.withResolvers<ImportMessage>();
  const cancel = (): void =>
    next.reject(new WhetstoneError('cancelled', 'The import was cancelled.', { where: options.path }));
  signal.addEventListener('abort', cancel);
  worker.on('message', (message: ImportMessage) => next.resolve(message));
  worker.on('error', (error) => next.reject(error));
  worker.on('exit', () =>
    next.reject(
      new WhetstoneError('internal', 'The import ended without a result.', { where: options.path }),
    ),
  );
  // otherwise an early rejection would be thrown as unhandled
  next.promise.catch(() => undefined);
  try {
    for (;;) {
      if (signal.aborted) cancel();
      const message = await next.promise;
      if (message.state === 'failed') throw WhetstoneError.from(message.error);
      next = Promise.withResolvers<ImportMessage>();
      next.promise.catch(() => undefined);
      yield message;
      if (message.state !== 'reading') return;
      worker.postMessage('stored');
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
    rows += event.count ?? 0;
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
  let rows = 0;
  try {
    for await (const event of messages({ ...options, path }, signal)) {
      if (event.state === 'columns') continue;
      if (event.state === 'done') {
        const dataset = await store.datasets.finish(id, { hash: event.hash, doctor: event.doctor });
        report({ state: 'done', dataset });
        return dataset;
      }
      await store.datasets.append(id, [...event.rows], [...event.rejected]);
      rows += event.rows.length;
      report(progressOf(event, rows, start));
    }
    throw new WhetstoneError('internal', 'The import ended without a result.', { where: path });
  } catch (error) {
    await store.datasets.discard(id);
    throw storeError(error, path);
  }
}
