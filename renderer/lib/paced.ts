/** Shortest and longest pause after a refresh, in milliseconds. */
const SHORTEST = 80;
const LONGEST = 1000;
/** The pause is this many times as long as the refresh took: a slow machine gets fewer, and no backlog. */
const SHARE = 3;

/**
 * Repeats an action when asked: one at a time, at once after a quiet period, else after a pause that depends on
 * how long the last one took. Requests while it runs are one further run.
 */
export class Paced {
  private timer: ReturnType<typeof setTimeout> | null = null;
  private isRunning = false;
  private isAsked = false;
  private due = 0;
  private readonly action: () => Promise<void>;

  constructor(action: () => Promise<void>) {
    this.action = action;
  }

  /** Asks for a run; `isUrgent`: without a pause. */
  ask(isUrgent = false): void {
    if (isUrgent) {
      this.due = 0;
      if (this.timer) clearTimeout(this.timer);
      this.timer = null;
    }
    if (this.isRunning) this.isAsked = true;
    else this.timer ??= setTimeout(() => void this.run(), Math.max(0, this.due - performance.now()));
  }

  stop(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    this.isAsked = false;
  }

  private async run(): Promise<void> {
    this.timer = null;
    this.isRunning = true;
    const start = performance.now();
    try {
      await this.action();
    } finally {
      const end = performance.now();
      this.due = end + Math.min(LONGEST, Math.max(SHORTEST, SHARE * (end - start)));
      this.isRunning = false;
    }
    if (!this.isAsked) return;
    this.isAsked = false;
    this.ask();
  }
}
