import { Worker } from 'node:worker_threads';
import { WhetstoneError, type ErrorFacts } from '../../engine/schema/errors.ts';
import type { StoreModules } from './modules.ts';

export interface WorkerOptions {
  readonly folder: string;
  readonly create: boolean;
  /** For tests: a bound on the database's size. */
  readonly maxPages?: number;
}
export interface StoreRequest { readonly id: number; readonly module: string; readonly query: string; readonly args: readonly unknown[] }
export type StoreReply = { readonly id: number; readonly output: unknown } | { readonly id: number; readonly error: ErrorFacts };

/** `store.runs.get(id)`: the query modules' functions, each returning a promise. */
export type StoreClient = {
  readonly [M in keyof StoreModules]: {
    readonly [Q in keyof StoreModules[M]]: StoreModules[M][Q] extends (...args: infer A) => infer R ? (...args: A) => Promise<Awaited<R>> : never;
  };
};
export interface Store {
  readonly client: StoreClient;
  /** Waits for what was asked before, then closes the file. */
  close(): Promise<void>;
}

const entry = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './store-worker.js', import.meta.url);

/** Starts the store of a workspace. Throws what opening the database throws: `newer-workspace`, `invalid-input`, `not-found`, `disk-full`. */
export async function openStore(options: WorkerOptions): Promise<Store> {
  const worker = new Worker(entry, { workerData: options });
  const waiting = new Map<number, { resolve: (output: unknown) => void; reject: (error: WhetstoneError) => void }>();
  let next = 0;
  let gone: WhetstoneError | null = null;

  const ask = (module: string, query: string, args: readonly unknown[]): Promise<unknown> => new Promise((resolve, reject) => {
    if (gone) return reject(gone);
    next += 1;
    waiting.set(next, { resolve, reject });
    worker.postMessage({ id: next, module, query, args } satisfies StoreRequest);
  });
  const end = (reason: WhetstoneError): void => {
    gone ??= reason;
    for (const { reject } of waiting.values()) reject(gone);
    waiting.clear();
  };
  const ready = new Promise<unknown>((resolve, reject) => waiting.set(0, { resolve, reject }));
  worker.on('message', (reply: StoreReply) => {
    const asked = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('error' in reply) asked?.reject(WhetstoneError.from(reply.error));
    else asked?.resolve(reply.output);
  });
  worker.on('error', (error) => end(new WhetstoneError('internal', `The store failed: ${error instanceof Error ? error.message : String(error)}`, { where: options.folder, cause: error })));
  worker.on('exit', () => end(new WhetstoneError('internal', 'The store is closed.', { where: options.folder })));
  await ready;

  const modules = new Map<string, unknown>();
  // the proxies mirror StoreModules, whose type is the single list of queries
  const client = new Proxy({}, {
    get: (_none, module: string) => {
      const known = modules.get(module) ?? new Proxy({}, { get: (_nothing, query: string) => (...args: unknown[]) => ask(module, query, args) });
      modules.set(module, known);
      return known;
    },
  }) as StoreClient;
  return {
    client,
    async close() {
      await ask('close', '', []);
      await worker.terminate();
    },
  };
}
