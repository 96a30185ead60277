import { WhetstoneError } from '../../engine/common/errors.ts';
import { classOf, type CallClass } from './calls.ts';
import type { StoreModules } from './modules.ts';
import { StoreThread, type Role, type WorkerOptions } from './thread.ts';

/** What a call gives: long work is a generator in the thread that does it, and a value to whoever asks. */
type Given<R> = Awaited<R> extends Generator<unknown, infer T> ? T : Awaited<R>;

/** `store.runs.get(id)`: the query modules' functions, each returning a promise. */
export type StoreClient = {
  readonly [M in keyof StoreModules]: {
    readonly [Q in keyof StoreModules[M]]: StoreModules[M][Q] extends (...args: infer A) => infer R
      ? (...args: A) => Promise<Given<R>>
      : never;
  };
};
export interface Store {
  readonly client: StoreClient;
  /** For tests and diagnosis. */
  readonly threads: Readonly<Record<Role, StoreThread>>;
  /** Waits for what is short, cancels what is long, and closes the file. */
  close(): Promise<void>;
}

const roles: { readonly [C in CallClass]: Role | null } = {
  short: 'writer',
  sliced: 'writer',
  read: 'reader',
  bulk: 'copier',
  within: null,
};

/**
 * Starts the store of a workspace. Throws what opening the database throws: `newer-workspace`,
 * `invalid-input`, `not-found`, `disk-full`.
 */
export async function openStore(options: WorkerOptions): Promise<Store> {
  const threads = {
    writer: new StoreThread({ ...options, role: 'writer' }),
    reader: new StoreThread({ ...options, role: 'reader' }),
    copier: new StoreThread({ ...options, role: 'copier' }),
  };
  await threads.writer.start();
  // whoever starts it again opens what is there
  const ask = async (module: string, query: string, args: readonly unknown[]): Promise<unknown> => {
    const asked = classOf(module, query);
    const role = asked && roles[asked];
    if (!role)
      throw new WhetstoneError('internal', `The store has no call ${module}.${query}.`, {
        where: options.folder,
      });
    return await threads[role].ask(module, query, args);
  };

  const modules = new Map<string, unknown>();
  // the proxies mirror StoreModules, whose type is the single list of queries
  const client = new Proxy(
    {},
    {
      get: (_none, module: string) => {
        const known =
          modules.get(module) ??
          new Proxy(
            {},
            {
              get:
                (_nothing, query: string) =>
                (...args: unknown[]) =>
                  ask(module, query, args),
            },
          );
        modules.set(module, known);
        return known;
      },
    },
  ) as StoreClient;
  return {
    client,
    threads,
    async close() {
      // the writer last: the last connection brings its log into the file, which a reader may not
      await Promise.all([threads.reader.close(), threads.copier.close()]);
      await threads.writer.close();
    },
  };
}
