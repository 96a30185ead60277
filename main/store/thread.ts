import { Worker } from 'node:worker_threads';
import { entryOf } from '../../engine/common/entry.ts';
import { WhetstoneError, type ErrorFacts } from '../../engine/common/errors.ts';

/**
 * `writer`: the only thread that writes; runs short calls. `reader`: searches and lists. `copier`: exports
 * and copies. `checkpointer`: moves the log into the file during imports.
 */
export type Role = 'writer' | 'reader' | 'copier' | 'checkpointer';

export interface WorkerOptions {
  readonly folder: string;
  readonly create: boolean;
  /** For tests: limits on the database's size, and on the JavaScript heap of each thread. */
  readonly maxPages?: number;
  readonly memoryMb?: number;
}
export interface ThreadOptions extends WorkerOptions {
  readonly role: Role;
}
export interface StoreRequest {
  readonly id: number;
  readonly module: string;
  readonly query: string;
  readonly args: readonly unknown[];
}
export type StoreReply =
  | {
      readonly id: number;
      readonly output: unknown;
      /** Number of slices that the thread has run. */ readonly slices: number;
    }
  | { readonly id: number; readonly error: ErrorFacts };

const entry = entryOf(import.meta.url, './worker.ts', './store-worker.js');

/** JavaScript heap of one thread, in MB. SQLite's cache is separate, with its own limit. */
const memoryOfThreadMb = 512;

/** How long a closed thread may take to end by itself, in milliseconds. */
const EXIT_MS = 2000;

interface Waiting {
  readonly name: string;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: WhetstoneError) => void;
}

/**
 * One thread of the store. If it fails, its pending calls are rejected, and the next call starts it again.
 */
export class StoreThread {
  readonly #options: ThreadOptions;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  /** Pending while a failed thread still has the file open. */
  #ending: Promise<void> | null = null;
  #failure: WhetstoneError | null = null;
  #next = 0;
  #isClosed = false;
  /** Number of slices, as last reported, and of completed calls. */
  slices = 0;
  answered = 0;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** The worker thread, if it runs. */
  get worker(): Worker | null {
    return this.#worker;
  }

  /** Opens the database in the thread. Throws the errors of opening. */
  async start(): Promise<void> {
    await this.#begin();
  }

  async ask(module: string, query: string, args: readonly unknown[]): Promise<unknown> {
    // a failing thread would never reply
    if (this.#ending) await this.#ending;
    if (this.#isClosed)
      throw new WhetstoneError('internal', 'The store is closed.', {
        where: this.#options.folder,
        hint: 'Open the workspace again.',
      });
    if (!this.#worker) this.#begin().catch(() => undefined); // the thread's exit rejects pending calls
    return await this.#post(module, query, args);
  }

  /** Waits for short calls and cancels long ones; does nothing for a thread that does not run. */
  async close(): Promise<void> {
    if (this.#ending) await this.#ending;
    this.#isClosed = true;
    const worker = this.#worker;
    if (!worker) return;
    const exited = new Promise((resolve) => worker.once('exit', resolve));
    // a thread that fails here has released its file, too
    await this.#post('close', '', []).catch(() => undefined);
    // it ends by itself: terminating a thread while it unloads SQLite can crash the process
    const late = setTimeout(() => void worker.terminate(), EXIT_MS);
    await exited;
    clearTimeout(late);
  }

  #post(module: string, query: string, args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#next += 1;
      this.#waiting.set(this.#next, { name: `${module}.${query}`, resolve, reject });
      this.#worker?.postMessage({ id: this.#next, module, query, args } satisfies StoreRequest);
    });
  }

  /** Starts the worker; resolves when it has opened the file. Messages sent before are queued. */
  #begin(): Promise<unknown> {
    const worker = new Worker(entry, {
      name: `store-${this.#options.role}`,
      workerData: this.#options,
      resourceLimits: { maxOldGenerationSizeMb: this.#options.memoryMb ?? memoryOfThreadMb },
    });
    this.#worker = worker;
    this.#failure = null;
    this.slices = 0;
    const ended = Promise.withResolvers<void>();
    worker.on('message', (reply: StoreReply) => this.#receive(reply));
    worker.on('error', (error) => {
      this.#failure = threadFailure(error);
      this.#ending = ended.promise;
    });
    worker.on('exit', () => {
      this.#worker = null;
      this.#ending = null;
      ended.resolve();
      this.#rejectAll();
    });
    return new Promise((resolve, reject) => this.#waiting.set(0, { name: 'open', resolve, reject }));
  }

  #receive(reply: StoreReply): void {
    const pending = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('error' in reply) {
      const error = WhetstoneError.from(reply.error);
      if (reply.id === 0) this.#failure = error;
      pending?.reject(error);
    } else {
      this.slices = reply.slices;
      this.answered += 1;
      pending?.resolve(reply.output);
    }
  }

  /** Rejects every pending call with the reason. */
  #rejectAll(): void {
    const { kind, message, hint } =
      this.#failure ??
      (this.#isClosed
        ? new WhetstoneError('cancelled', 'The workspace was closed before this was finished.')
        : threadFailure(null));
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { name, reject } of waiting) reject(new WhetstoneError(kind, message, { where: name, hint }));
  }
}

/** The error for a thread that ended unexpectedly. */
function threadFailure(error: unknown): WhetstoneError {
  const isMemory =
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  const reason = isMemory
    ? 'it ran out of memory'
    : error instanceof Error
      ? error.message
      : 'its thread ended';
  return new WhetstoneError(
    isMemory ? 'out-of-memory' : 'internal',
    `The store failed during this call: ${reason}.`,
    {
      hint:
        'The workspace is intact and was reopened. Check whether the change was stored, and if not, try ' +
        'again.',
      cause: error,
    },
  );
}
