/**
 * A feed that a page has opened. It gets a value only when the page has room for one: each costs a credit.
 */
export class OpenFeed {
  #credits: number;
  #stop = new AbortController();
  #wake: () => void = () => undefined;

  constructor(credits: number) {
    this.#credits = credits;
  }

  /** Aborted when the page has let go of the feed, or the feed has ended. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** The page has room for more values. */
  grant(credits: number): void {
    this.#credits += credits;
    this.#wake();
  }

  letGo(): void {
    this.#stop.abort();
    this.#wake();
  }

  /** Passes values on until there are no more, or the page lets go; then it releases their source. */
  async pass(values: AsyncIterable<unknown>, send: (value: unknown) => void): Promise<void> {
    const reader = values[Symbol.asyncIterator]();
    try {
      // the next value is taken only when the page has room for it: until then the handler merges
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

  /** True when there is one; false when the page has let go. */
  async #hasCredit(): Promise<boolean> {
    while (this.#credits <= 0 && !this.signal.aborted)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    return !this.signal.aborted;
  }
}
