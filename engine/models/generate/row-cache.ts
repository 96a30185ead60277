import { keysName, valuesName } from './graphs.ts';

interface CacheSizes {
  readonly layers: number;
  readonly heads: number;
  readonly size: number;
  readonly slots: number;
  readonly places: number;
}

/** KV cache of rows, [slots, heads, places, size] per layer, in arrays that programs write in place. */
export class RowCache {
  readonly slots: number;
  readonly places: number;
  readonly #heads: number;
  readonly #size: number;
  /** The latest views: most runs have the same rows as the run before. */
  #views:
    | { readonly start: number; readonly count: number; readonly feeds: Record<string, Float32Array> }
    | undefined;
  readonly #blocks: readonly (readonly [name: string, data: Float32Array])[];

  constructor({ layers, heads, size, slots, places }: CacheSizes) {
    this.slots = slots;
    this.places = places;
    this.#heads = heads;
    this.#size = size;
    const names = Array.from({ length: layers }, (_, layer) => [keysName(layer), valuesName(layer)]).flat();
    this.#blocks = names.map((name) => [name, new Float32Array(slots * heads * places * size)]);
  }

  /** Views of `count` slots from `start` on, by input name. */
  feeds(start: number, count: number): Record<string, Float32Array> {
    const row = this.#heads * this.places * this.#size;
    if (this.#views?.start === start && this.#views.count === count) return this.#views.feeds;
    const feeds = Object.fromEntries(
      this.#blocks.map(([name, data]) => [name, data.subarray(start * row, (start + count) * row)]),
    );
    this.#views = { start, count, feeds };
    return feeds;
  }

  /** Copies the first `count` positions of one slot to another. */
  copy(from: number, to: number, count: number): void {
    const head = this.places * this.#size;
    for (const [, data] of this.#blocks)
      for (let h = 0; h < this.#heads; h++) {
        const start = (from * this.#heads + h) * head;
        data.copyWithin((to * this.#heads + h) * head, start, start + count * this.#size);
      }
  }
}
