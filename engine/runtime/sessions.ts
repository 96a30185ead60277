import ort from 'onnxruntime-node';
import { createHash } from 'node:crypto';
import { LruCache, type Held } from './cache.ts';
import { runtimeError } from './errors.ts';
import type { Provider } from './providers.ts';

export type Session = ort.InferenceSession & Held;

export interface SessionPlan {
  /** For messages; sessions are shared by what they compute, whatever a caller names it. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** What the values alive during a run take, in bytes. */
  readonly valueBytes: number;
  /** Outputs that stay in the device's memory. */
  readonly stay?: readonly string[];
  /** Runs follow one another closely, each with little to do. */
  readonly brief?: boolean;
  /**
   * What the session copies when it is made and keeps: buffers that the graph names as files, and the bytes
   * of them that it reads.
   */
  readonly frozen?: {
    readonly files: ReadonlyMap<string, ArrayBufferLike>;
    readonly bytes: number;
    /** Of one kind there is one session at a time: the last one to be asked for. */
    readonly kind: string;
  };
}

export interface Opener {
  (): Promise<Session>;
  release(): Promise<void>;
  /** Of its graph. */ readonly key: string;
}

/**
 * The sessions of one device, cached within a memory bound, and the turn that everything on the device waits
 * for.
 */
export class Sessions {
  readonly #provider: Provider;
  readonly #threads: number;
  readonly #profile: string | undefined;
  #opened = 0;
  readonly #cache: LruCache<Session>;
  /** The graph of each kind that has a session with a copy of what is frozen. */
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

  /** How many sessions are held now. */
  get size(): number {
    return this.#cache.size;
  }

  /** Bytes of what is frozen, in the sessions that hold it now. */
  get frozenBytes(): number {
    return [...this.#kinds.values()].reduce(
      (sum, { key, bytes }) => sum + (this.#cache.has(key) ? bytes : 0),
      0,
    );
  }

  /**
   * How to get the session of a graph, from the cache or made anew, and how to let it go. Both to be called
   * in turn.
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

  /** Lets sessions go. To be called in turn. */
  async drop(keys: Iterable<string>): Promise<void> {
    for (const key of keys) await this.#cache.drop(key);
  }

  /** Lets the sessions go that hold a file which nobody has any more. */
  forget(file: string): Promise<void> {
    return this.inTurn(async () => {
      for (const [kind, { key, files }] of this.#kinds) {
        if (!files.includes(file)) continue;
        this.#kinds.delete(kind);
        await this.#cache.drop(key);
      }
    });
  }

  /** Lets the session go that a kind has had, before another one takes its place. */
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
   * Runs and releases never overlap: a run blocks the thread anyway, and a session must not be released under
   * one.
   */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work, work);
    this.#last = result.catch(() => undefined); // the caller has the error; the queue only waits
    return result;
  }

  async #open({ name, bytes, stay, brief, frozen }: SessionPlan): Promise<Session> {
    try {
      return await ort.InferenceSession.create(bytes, {
        executionProviders: this.#provider.executionProviders,
        executionMode: 'sequential',
        // The graph runs as it was verified: what may be written in place was decided on it. The runtime's
        // own rewrites make steps no faster (38–41 ms of processor time with and without) and sessions twice
        // as slow to create.
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
        // Threads wait for their next piece of work awake, but not for long: as fast as waiting without bound
        // on a quiet machine (22.0 against 22.7 ms a step of a small model), and twice as fast on one where
        // others want the cores too (24 against 52 ms). Between brief runs they stay awake while the host
        // prepares the next: one row of model (a) writes 1,800 tokens/s in place of 1,100 to 1,800.
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
