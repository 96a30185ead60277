/** A feed opened by a page. Sends a value only against a credit that the page has granted. */
export class OpenFeed {
  #credits: number;
  #stop = new AbortController();
  #wake: () => void = () => undefined;

  constructor(credits: number) {
    this.#credits = credits;
  }

  /** Aborts when the page closes the feed, or the feed has ended. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Grants the feed more credits. */
  grant(credits: number): void {
    this.#credits += credits;
    this.#wake();
  }

  close(): void {
    this.#stop.abort();
    this.#wake();
  }

  /** Sends values until the source ends or the page closes the feed; then releases the source. */
  async pass(values: AsyncIterable<unknown>, send: (value: unknown) => void): Promise<void> {
    const reader = values[Symbol.asyncIterator]();
    try {
      // take the next value only with a credit; until then the handler merges values
      while (await this.#hasCredit()) {
        const { done, value } = await reader.next();
        if (done || this.signal.aborted) break;
        this.#credits -= 1;
        send(value);
      }
    } finally {
      this.#stop.abort();
      await reader.return?.();
    }
  }

  /** Waits for a credit; returns false if the page has closed the feed. */
  async #hasCredit(): Promise<boolean> {
    while (this.#credits <= 0 && !this.signal.aborted)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    return !this.signal.aborted;
  }
}
