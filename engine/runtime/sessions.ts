import ort from 'onnxruntime-node';
import { createHash } from 'node:crypto';
import { LruCache, type CacheEntry } from './cache.ts';
import { runtimeError } from './errors.ts';
import type { Provider } from './providers.ts';

export type Session = ort.InferenceSession & CacheEntry;

export interface SessionPlan {
  /** Used in messages; sessions are shared by content, whatever their name. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Bytes of the values alive during a run. */
  readonly valueBytes: number;
  /** Outputs that stay in device memory. */
  readonly stay?: readonly string[];
  /** True if runs follow one another closely, each with little to do. */
  readonly brief?: boolean;
  /**
   * Frozen arrays that the session copies when it is made: the buffers that the graph names as files, and
   * the number of bytes it reads from them.
   */
  readonly frozen?: {
    readonly files: ReadonlyMap<string, ArrayBufferLike>;
    readonly bytes: number;
    /** There is one session of a kind at a time: the last one requested. */
    readonly kind: string;
  };
}

export interface Opener {
  (): Promise<Session>;
  release(): Promise<void>;
  /** Cache key of the graph. */ readonly key: string;
}

/**
 * The sessions of one device, cached within a memory bound, and the queue of everything that runs on the
 * device.
 */
export class Sessions {
  readonly #provider: Provider;
  readonly #threads: number;
  readonly #profile: string | undefined;
  #opened = 0;
  readonly #cache: LruCache<Session>;
  /** For each kind, the graph whose session holds a copy of the frozen arrays. */
  readonly #kinds = new Map<
    string,
    { readonly key: string; readonly bytes: number; readonly files: readonly string[] }
  >();
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    provider: Provider,
    {
      threads,
      cacheBytes,
      profile,
    }: { readonly threads: number; readonly cacheBytes: number; readonly profile?: string },
  ) {
    this.#provider = provider;
    this.#threads = threads;
    this.#profile = profile;
    this.#cache = new LruCache(cacheBytes);
  }

  /** Number of sessions in the cache. */
  get size(): number {
    return this.#cache.size;
  }

  /** Bytes of frozen arrays in the cached sessions. */
  get frozenBytes(): number {
    return [...this.#kinds.values()].reduce(
      (sum, { key, bytes }) => sum + (this.#cache.has(key) ? bytes : 0),
      0,
    );
  }

  /**
   * Functions that get the session of a graph, from the cache or new, and release it. To be called in turn.
   */
  opener(plan: SessionPlan): Opener {
    const key = createHash('sha256')
      .update(plan.bytes)
      .update(`${plan.stay?.join('\n')} ${plan.brief}`)
      .digest('hex');
    const open = async () => {
      await this.#alone(key, plan.frozen);
      return this.#cache.get(key, plan.valueBytes + plan.bytes.length, () => this.#open(plan));
    };
    return Object.assign(open, { key, release: () => this.#cache.drop(key) });
  }

  /** Releases sessions. To be called in turn. */
  async drop(keys: Iterable<string>): Promise<void> {
    for (const key of keys) await this.#cache.drop(key);
  }

  /** Releases the sessions that hold a file whose array is gone. */
  forget(file: string): Promise<void> {
    return this.inTurn(async () => {
      for (const [kind, { key, files }] of this.#kinds) {
        if (!files.includes(file)) continue;
        this.#kinds.delete(kind);
        await this.#cache.drop(key);
      }
    });
  }

  /** Releases the previous session of a kind before another one is made. */
  async #alone(key: string, frozen: SessionPlan['frozen']): Promise<void> {
    if (!frozen) return;
    const before = this.#kinds.get(frozen.kind);
    this.#kinds.set(frozen.kind, { key, bytes: frozen.bytes, files: [...frozen.files.keys()] });
    if (before && before.key !== key) await this.#cache.drop(before.key);
  }

  async clear(): Promise<void> {
    await this.#cache.clear();
  }

  /**
   * Queues work, so that runs and releases never overlap: a run blocks the thread anyway, and a session must
   * not be released during one.
   */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work, work);
    this.#last = result.catch(() => undefined); // the caller gets the error; the queue only waits
    return result;
  }

  async #open({ name, bytes, stay, brief, frozen }: SessionPlan): Promise<Session> {
    try {
      return await ort.InferenceSession.create(bytes, {
        executionProviders: this.#provider.executionProviders,
        executionMode: 'sequential',
        // The graph runs as it was verified: the in-place decisions depend on it. The runtime's own rewrites
        // make steps no faster (38–41 ms of processor time with and without) and sessions twice as slow to
        // create.
        graphOptimizationLevel: 'disabled',
        intraOpNumThreads: this.#threads,
        interOpNumThreads: 1,
        enableMemPattern: false,
        logSeverityLevel: 4,
        ...(stay &&
          stay.length > 0 && {
            preferredOutputLocation: Object.fromEntries(
              stay.map((output) => [output, 'gpu-buffer' as const]),
            ),
          }),
        // Threads spin for their next piece of work, but not for long: as fast as unbounded spinning on a
        // quiet machine (22.0 against 22.7 ms a step of a small model), and twice as fast on a busy one (24
        // against 52 ms). Between brief runs they keep spinning while the host prepares the next: one row of
        // model (a) generates 1,800 tokens/s instead of 1,100 to 1,800.
        extra: {
          session: {
            intra_op: { spin_duration_us: brief ? '500' : '100' },
            ...(frozen && { disable_prepacking: '1' }),
          },
        },
        ...(frozen && {
          externalData: [...frozen.files].map(([path, buffer]) => ({ path, data: new Uint8Array(buffer) })),
        }),
        ...(this.#profile !== undefined && {
          enableProfiling: true,
          profileFilePrefix: `${this.#profile}-${this.#opened++}`,
        }),
      });
    } catch (error) {
      throw runtimeError(error, name);
    }
  }
}
