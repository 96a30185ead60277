import type { EngineEvent } from '../../engine/schema/messages.ts';

/** Maximum delay of an event's commit, in milliseconds: of events that follow others closely, and of the first. */
const longestWaitMs = 80;
const firstWaitMs = 8;
/** Number of events that triggers an immediate commit. */
const fullBatch = 64;

/** Collects events and commits them in order, one batch at a time. Commits nothing after a failure. */
export class EventBatch {
  #commit: (events: EngineEvent[]) => Promise<void>;
  #failed: (error: unknown) => void;
  #events: EngineEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<void> = Promise.resolve();
  #broken = false;
  #flushed = -Infinity;

  constructor(commit: (events: EngineEvent[]) => Promise<void>, failed: (error: unknown) => void) {
    this.#commit = commit;
    this.#failed = failed;
  }

  add(event: EngineEvent): void {
    this.#events.push(event);
    if (
      this.#events.length >= fullBatch ||
      event.type === 'finished' ||
      event.type === 'failed' ||
      event.type === 'checkpoint'
    )
      void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), this.#waitMs());
  }

  /** The first event after a pause waits only for those of its step; frequent ones share a commit. */
  #waitMs(): number {
    return Math.max(firstWaitMs, Math.min(longestWaitMs, this.#flushed + longestWaitMs - performance.now()));
  }

  /** Resolves when all added events are committed, or a commit has failed. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const events = this.#events;
    this.#events = [];
    this.#flushed = performance.now();
    this.#last = this.#last.then(async () => {
      if (this.#broken || events.length === 0) return;
      try {
        await this.#commit(events);
      } catch (error) {
        this.#broken = true;
        this.#failed(error);
      }
    });
    return this.#last;
  }
}
