import { WhetstoneError } from '../../engine/common/errors.ts';
import { classOf, type CallClass } from './calls.ts';
import type { StoreModules } from './modules.ts';
import { StoreThread, type Role, type WorkerOptions } from './thread.ts';

/** Output type of a call: for long work, the return value of its generator. */
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
  /** For tests and diagnostics. */
  readonly threads: Readonly<Record<Role, StoreThread>>;
  /** Waits for short calls, cancels long ones, and closes the file. */
  close(): Promise<void>;
}

const roles: { readonly [C in CallClass]: Role | null } = {
  short: 'writer',
  sliced: 'writer',
  read: 'reader',
  bulk: 'copier',
  background: 'checkpointer',
  within: null,
};

/**
 * Starts the store of a workspace. Throws the errors of opening its database: `newer-workspace`,
 * `invalid-input`, `not-found`, `disk-full`.
 */
export async function openStore(options: WorkerOptions): Promise<Store> {
  const threads = {
    writer: new StoreThread({ ...options, role: 'writer' }),
    reader: new StoreThread({ ...options, role: 'reader' }),
    copier: new StoreThread({ ...options, role: 'copier' }),
    checkpointer: new StoreThread({ ...options, role: 'checkpointer' }),
  };
  await threads.writer.start();
  // a restarted thread opens the existing file
  const ask = async (module: string, query: string, args: readonly unknown[]): Promise<unknown> => {
    const callClass = classOf(module, query);
    const role = callClass && roles[callClass];
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
      // close the writer last: the last connection merges the log into the file, which a reader may not do
      await Promise.all([threads.reader.close(), threads.copier.close(), threads.checkpointer.close()]);
      await threads.writer.close();
    },
  };
}
