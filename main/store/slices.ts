import { WhetstoneError } from '../../engine/common/errors.ts';

/**
 * Work that can be interrupted at each yield. The database must be consistent there; no transaction spans a
 * yield.
 */
export type Sliced<T> = Generator<undefined, T, undefined>;

/** Longest slice in milliseconds, far below what a person notices. */
export const sliceMs = 8;

interface Job {
  readonly work: Sliced<unknown>;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs long jobs in slices, round robin. The thread receives messages between slices, so that long work does
 * not delay short calls.
 */
export class Slices {
  #jobs: Job[] = [];
  #isScheduled = false;
  /** Number of slices run, for tests and diagnostics. */
  count = 0;

  run(work: Sliced<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#jobs.push({ work, resolve, reject });
      this.#schedule();
    });
  }

  /** Cancels all jobs: each gets the error, and can clean up. */
  cancel(): void {
    for (const { work, reject } of this.#jobs.splice(0)) {
      const reason = new WhetstoneError('cancelled', 'The workspace was closed before this was finished.', {
        hint: 'Open it and try again: no part of it was kept.',
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
    // after the messages that have arrived
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

/** Runs sliced work at once, where no other work waits. */
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
