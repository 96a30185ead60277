import { WhetstoneError } from '../../engine/common/errors.ts';

/**
 * Work that may be interrupted wherever it yields. Nothing that spans a yield may be half-done in the
 * database: no transaction does.
 */
export type Sliced<T> = Generator<undefined, T, undefined>;

/**
 * How long a slice may last, in milliseconds, before others have their turn: far below what a person notices.
 */
export const sliceMs = 8;

interface Job {
  readonly work: Sliced<unknown>;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs long work in slices, one after the other in turn. Between two slices the thread hears what has come in
 * meanwhile, so that short calls are answered as if there were no long ones.
 */
export class Slices {
  #jobs: Job[] = [];
  #isScheduled = false;
  /** Slices that were run, for whoever wants to see that work was interrupted. */
  count = 0;

  run(work: Sliced<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#jobs.push({ work, resolve, reject });
      this.#schedule();
    });
  }

  /** Ends what is going on: each is told, and tidies up after itself. */
  cancel(): void {
    for (const { work, reject } of this.#jobs.splice(0)) {
      const reason = new WhetstoneError('cancelled', 'The workspace was closed before this was done.', {
        hint: 'Open it and ask again: nothing of it was kept.',
      });
      try {
        work.throw(reason);
        reject(reason);
      } catch (error) {
        reject(error);
      }
    }
  }

  #schedule(): void {
    if (this.#isScheduled || this.#jobs.length === 0) return;
    this.#isScheduled = true;
    // behind the messages that have come in
    setImmediate(() => {
      this.#isScheduled = false;
      this.#slice();
      this.#schedule();
    });
  }

  #slice(): void {
    const job = this.#jobs.shift();
    if (!job) return;
    const until = performance.now() + sliceMs;
    this.count += 1;
    try {
      do {
        const { done, value } = job.work.next();
        if (done) return job.resolve(value);
      } while (performance.now() < until);
      this.#jobs.push(job);
    } catch (error) {
      job.reject(error);
    }
  }
}

/** All of it at once, where nobody waits for anything else. */
export function atOnce<T>(work: Sliced<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

export const isSliced = (value: unknown): value is Sliced<unknown> =>
  typeof value === 'object' &&
  value !== null &&
  Symbol.iterator in value &&
  'next' in value &&
  'throw' in value;
