import { Worker } from 'node:worker_threads';
import { WhetstoneError, type ErrorFacts } from '../../engine/common/errors.ts';

/**
 * `writer`: the only one that writes, and answers what is short. `reader`: searches and lists. `copier`:
 * exports and copies.
 */
export type Role = 'writer' | 'reader' | 'copier';

export interface WorkerOptions {
  readonly folder: string;
  readonly create: boolean;
  /** For tests: bounds on the database's size, and on JavaScript's memory in each thread. */
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
      /** Slices of long work that the thread has run so far. */ readonly slices: number;
    }
  | { readonly id: number; readonly error: ErrorFacts };

const entry = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './store-worker.js', import.meta.url);

/**
 * JavaScript's memory of one thread, in MB. What SQLite caches comes on top of it, and is bounded by itself.
 */
const memoryOfThreadMb = 512;

interface Waiting {
  readonly name: string;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: WhetstoneError) => void;
}

/**
 * One thread of the store. One that dies tells whoever waited for it, and is started again for the next call.
 */
export class StoreThread {
  readonly #options: ThreadOptions;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  /** While a thread that has failed still holds the file. */
  #ending: Promise<void> | null = null;
  #failure: WhetstoneError | null = null;
  #next = 0;
  #isClosed = false;
  /** Slices of long work that it has run, as it last said; calls that it has answered. */
  slices = 0;
  answered = 0;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** The thread itself, where it runs. */
  get worker(): Worker | null {
    return this.#worker;
  }

  /** Opens the database in a thread. Throws what opening throws. */
  async start(): Promise<void> {
    await this.#begin();
  }

  async ask(module: string, query: string, args: readonly unknown[]): Promise<unknown> {
    // a thread that is dying would never answer
    if (this.#ending) await this.#ending;
    if (this.#isClosed)
      throw new WhetstoneError('internal', 'The store is closed.', {
        where: this.#options.folder,
        hint: 'Open the workspace again.',
      });
    if (!this.#worker) this.#begin().catch(() => undefined); // whoever waits is told by the thread's end
    return await this.#post(module, query, args);
  }

  /** What is short is waited for; what is long is cancelled. A thread that does not run needs nothing. */
  async close(): Promise<void> {
    if (this.#ending) await this.#ending;
    this.#isClosed = true;
    const worker = this.#worker;
    if (!worker) return;
    // one that dies on the way has let go of its file, too
    await this.#post('close', '', []).catch(() => undefined);
    await worker.terminate();
  }

  #post(module: string, query: string, args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#next += 1;
      this.#waiting.set(this.#next, { name: `${module}.${query}`, resolve, reject });
      this.#worker?.postMessage({ id: this.#next, module, query, args } satisfies StoreRequest);
    });
  }

  /** A new thread takes messages at once and answers them when it has opened the file; resolves then. */
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
    worker.on('message', (reply: StoreReply) => this.#hear(reply));
    worker.on('error', (error) => {
      this.#failure = diedOf(error);
      this.#ending = ended.promise;
    });
    worker.on('exit', () => {
      this.#worker = null;
      this.#ending = null;
      ended.resolve();
      this.#tellAll();
    });
    return new Promise((resolve, reject) => this.#waiting.set(0, { name: 'open', resolve, reject }));
  }

  #hear(reply: StoreReply): void {
    const asked = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('error' in reply) {
      const error = WhetstoneError.from(reply.error);
      if (reply.id === 0) this.#failure = error;
      asked?.reject(error);
    } else {
      this.slices = reply.slices;
      this.answered += 1;
      asked?.resolve(reply.output);
    }
  }

  /** Every call that the thread has not answered is told why. */
  #tellAll(): void {
    const { kind, message, hint } =
      this.#failure ??
      (this.#isClosed
        ? new WhetstoneError('cancelled', 'The workspace was closed before this was done.')
        : diedOf(null));
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { name, reject } of waiting) reject(new WhetstoneError(kind, message, { where: name, hint }));
  }
}

/** Why a thread ended that nobody had asked to end. */
function diedOf(error: unknown): WhetstoneError {
  const isMemory =
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  const reason = isMemory
    ? 'it ran out of memory'
    : error instanceof Error
      ? error.message
      : 'its thread was ended';
  return new WhetstoneError(
    isMemory ? 'out-of-memory' : 'internal',
    `The store failed before it had answered: ${reason}.`,
    {
      hint:
        'The workspace is whole and was opened again. Look whether the change is there, and if not, ask ' +
        'for it again.',
      cause: error,
    },
  );
}
