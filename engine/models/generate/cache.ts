import type { ModelConfig } from '../config.ts';
import { transformerOf } from '../families/index.ts';
import { floats, type ModelFeeds } from '../device.ts';
import { keysName, valuesName } from './graphs.ts';

/** Keys or values of one layer: [rows, heads, places, size]. */
interface Block {
  readonly data: Float32Array;
  readonly places: number;
}

/** Bytes of one row's keys and values at its longest. */
export const cacheBytesOf = (config: ModelConfig): number => {
  const { kvHeads, size } = transformerOf(config);
  return 2 * Float32Array.BYTES_PER_ELEMENT * config.layers * kvHeads * size * config.context;
};

/** KV cache of the active rows, on the host: one slot per row, filled from position 0. */
export class KeyValueCache {
  readonly #heads: number;
  readonly #size: number;
  readonly slots: number;
  readonly places: number;
  /** Feeds of a chunk, by name. */
  readonly feeds: Readonly<Record<string, Float32Array>>;

  constructor(config: ModelConfig, slots: number, places: number) {
    const { kvHeads, size } = transformerOf(config);
    this.#heads = kvHeads;
    this.#size = size;
    this.slots = slots;
    this.places = places;
    const names = Array.from({ length: config.layers }, (_, layer) => [
      keysName(layer),
      valuesName(layer),
    ]).flat();
    this.feeds = Object.fromEntries(
      names.map((name) => [name, new Float32Array(slots * kvHeads * size * places)]),
    );
  }

  /** Copies `count` positions of a row between blocks with equal heads and size. */
  #copy(from: Block, fromSlot: number, to: Block, toSlot: number, at: number, count: number): void {
    const size = this.#size;
    const heads = this.#heads;
    for (let head = 0; head < heads; head++) {
      const source = (fromSlot * heads + head) * from.places * size;
      to.data.set(
        from.data.subarray(source, source + count * size),
        ((toSlot * heads + head) * to.places + at) * size,
      );
    }
  }

  /** Copies rows of another cache: `length` positions of its slot `from` into slot `to`. */
  takeFrom(other: KeyValueCache, moves: readonly { from: number; to: number; length: number }[]): void {
    for (const [name, data] of Object.entries(this.feeds))
      for (const { from, to, length } of moves)
        this.#copy(
          { data: other.feeds[name], places: other.places },
          from,
          { data, places: this.places },
          to,
          0,
          length,
        );
  }

  /**
   * Appends rows of a program's outputs to a slot. `rename` maps a cached name to its output; its rows are
   * [rows, heads, places, size].
   */
  append(
    outputs: ModelFeeds,
    places: number,
    rename: (name: string) => string,
    rows: readonly { from: number; to: number; at: number; count: number }[],
  ): void {
    for (const [name, data] of Object.entries(this.feeds)) {
      const from: Block = { data: floats(outputs, rename(name)), places };
      for (const row of rows)
        this.#copy(from, row.from, { data, places: this.places }, row.to, row.at, row.count);
    }
  }
}
