import { WhetstoneError } from '../../engine/common/errors.ts';
import type { DemoStatus } from '../../preload/contract/demo.ts';

type Work = (signal: AbortSignal, report: (change: Partial<DemoStatus>) => void) => Promise<void>;

/** The demo's work in the open workspace, one at a time, with its status for every page. */
export class DemoWork {
  #status: DemoStatus | null = null;
  #work: AbortController | null = null;
  #ended: Promise<void> = Promise.resolve();
  #listeners = new Set<(status: DemoStatus) => void>();

  /** Null before the first start. */
  get status(): DemoStatus | null {
    return this.#status;
  }

  get active(): boolean {
    return this.#work !== null;
  }

  /** Calls `listener` after every change; returns a function that unsubscribes. */
  watch(listener: (status: DemoStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Starts the work and returns at once. Throws `conflict` while one is in progress. */
  start(first: DemoStatus, work: Work): void {
    if (this.#work)
      throw new WhetstoneError('conflict', 'The demo is already running in this workspace.', {
        hint: 'Home shows its progress. Wait for its end, or stop it there.',
      });
    const { signal } = (this.#work = new AbortController());
    this.#publish({ ...first, state: 'running' });
    this.#ended = work(signal, (change) => this.#change(change)).then(
      () => this.#end({ state: 'done', secondsLeft: 0, share: 1 }),
      (thrown: unknown) => {
        const error = WhetstoneError.from(thrown);
        const isStopped = signal.aborted || error.kind === 'cancelled';
        this.#end(isStopped ? { state: 'stopped' } : { state: 'failed', error: error.facts });
      },
    );
  }

  /** Stops the work after the current step of its run. */
  stop(): void {
    if (!this.#work || this.#work.signal.aborted) return;
    this.#change({ state: 'stopping' });
    this.#work.abort();
  }

  /** Resolves when no work is in progress any more. */
  async settled(): Promise<void> {
    await this.#ended;
  }

  #end(change: Partial<DemoStatus>): void {
    this.#work = null;
    this.#change({ runId: null, ...change });
  }

  #change(change: Partial<DemoStatus>): void {
    if (this.#status) this.#publish({ ...this.#status, ...change });
  }

  #publish(status: DemoStatus): void {
    this.#status = status;
    for (const listener of this.#listeners) listener(status);
  }
}
