/** A cache entry: has a size and is released when it is evicted. */
export interface CacheEntry {
  release(): Promise<void>;
}

interface Entry<T> {
  readonly value: T;
  readonly bytes: number;
}

/**
 * Keeps values by key within a memory bound and evicts the least recently used first. The newest stays even
 * when it alone exceeds the bound.
 */
export class LruCache<T extends CacheEntry> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #limit: number;
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limit = limitBytes;
  }

  get size(): number {
    return this.#entries.size;
  }
  get bytes(): number {
    return this.#bytes;
  }
  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /**
   * Returns the value of a key, and makes it if absent. Others are evicted before it is made, so that both
   * never need room at once.
   */
  async get(key: string, bytes: number, make: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(key);
    if (known) {
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known.value;
    }
    await this.#shrink(this.#limit - bytes);
    const value = await make();
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    return value;
  }

  async clear(): Promise<void> {
    await this.#shrink(-1);
  }

  /** Releases the value of a key, if it is held. */
  async drop(key: string): Promise<void> {
    const held = this.#entries.get(key);
    if (!held) return;
    this.#entries.delete(key);
    this.#bytes -= held.bytes;
    await held.value.release();
  }

  async #shrink(to: number): Promise<void> {
    for (const [key, { value, bytes }] of this.#entries) {
      if (this.#bytes <= to) return;
      this.#entries.delete(key);
      this.#bytes -= bytes;
      await value.release();
    }
  }
}
