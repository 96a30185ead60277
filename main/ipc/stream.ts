/**
 * A feed's values, merged while the reader is busy: a slow reader gets fewer values, never a backlog. `merge`
 * combines an unread value with a newer one.
 */
export class MergedStream<T> implements AsyncIterable<T> {
  #merge: (older: T, newer: T) => T;
  #held: { value: T } | null = null;
  #end: { error?: unknown } | null = null;
  #wake: () => void = () => undefined;

  constructor(merge: (older: T, newer: T) => T) {
    this.#merge = merge;
  }

  push(value: T): void {
    if (this.#end) return;
    this.#held = { value: this.#held ? this.#merge(this.#held.value, value) : value };
    this.#wake();
  }

  /** Ends the feed after its held value was read, with an error if there is one. */
  end(error?: unknown): void {
    this.#end ??= error === undefined ? {} : { error };
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      if (this.#held) {
        const { value } = this.#held;
        this.#held = null;
        yield value;
      } else if (this.#end) {
        if ('error' in this.#end) throw this.#end.error;
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}

/**
 * A feed of a source's values, from `start` until the reader closes it or the source ends it. `start` returns
 * a function that stops the source; a feed that was closed before it opened starts nothing.
 */
export async function* follow<T>(
  signal: AbortSignal,
  merge: (older: T, newer: T) => T,
  start: (push: (value: T) => void, end: (error?: unknown) => void) => () => void,
): AsyncGenerator<T> {
  if (signal.aborted) return;
  const stream = new MergedStream(merge);
  const onAbort = (): void => stream.end();
  signal.addEventListener('abort', onAbort);
  const stop = start(
    (value) => stream.push(value),
    (error) => stream.end(error),
  );
  try {
    yield* stream;
  } finally {
    stop();
    signal.removeEventListener('abort', onAbort);
  }
}

/** A feed of work's progress, of which a slow reader gets the newest; closing it aborts the work. */
export const worked = <T>(
  signal: AbortSignal,
  work: (stop: AbortSignal, push: (value: T) => void) => Promise<unknown>,
): AsyncGenerator<T> =>
  follow<T>(
    signal,
    (_older, newer) => newer,
    (push, end) => {
      const controller = new AbortController();
      work(controller.signal, push).then(() => end(), end);
      return () => controller.abort();
    },
  );
