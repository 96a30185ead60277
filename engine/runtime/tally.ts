import { createHash } from 'node:crypto';
import type { Expr } from '../tensor/index.ts';
import { sizeOf, type DType } from '../tensor/types.ts';
import { bytesOfPlaces, frozenIn, type Frozen, type FrozenArrays } from './frozen.ts';
import { constantBytes, matrixFlops, peakBytes } from './footprint.ts';
import {
  arrayOf,
  shapeIn,
  type Execute,
  type Feeds,
  type ProgramFacts,
  type Sizes,
  type Values,
} from './program.ts';

interface Kept {
  readonly bytes: number;
  held: boolean;
  readonly first: number;
  last: number;
}

/**
 * Counts what programs would need instead of running them: a device opened with a tally makes no sessions,
 * and its programs return zeros, or `whole(0)`, `whole(1)`, … for integer outputs (tokens, say). Any run can
 * thus be rehearsed, and its memory need is known to the byte beforehand.
 */
export class Tally {
  /**
   * Largest need of one run besides held arrays: values of the graph, and arrays that are fed and returned.
   */
  transientBytes = 0;
  /** The part of it inside the graph. */
  valueBytes = 0;
  readonly #whole: ((at: number) => number) | undefined;
  /** Floating-point operations of all runs. */
  flops = 0;
  /** Bytes that each session keeps between its runs, by its graph: room for its values, and its constants. */
  readonly #sessions = new Map<string, number>();
  /** Buffers that are held or were written in place, with the batches that wrote them. */
  readonly #kept = new WeakMap<ArrayBufferLike, Kept>();
  readonly #all: Kept[] = [];
  #batch = 0;
  /** Copies of frozen arrays, by the kind of the graphs whose session holds one. */
  readonly #copies = new Map<string, number>();

  constructor(whole?: (at: number) => number) {
    this.#whole = whole;
  }

  /**
   * Bytes that stay from batch to batch, plus the most that one batch has written besides (caches, a
   * gradient in several parts). With several batches the latter counts twice, since the host frees such
   * arrays only after the next ones exist.
   */
  get keptBytes(): number {
    const passing = new Map<number, number>();
    let bytes = [...this.#copies.values()].reduce((sum, copy) => sum + copy, 0);
    for (const kept of this.#all) {
      if (kept.held || kept.first !== kept.last) bytes += kept.bytes;
      else passing.set(kept.first, (passing.get(kept.first) ?? 0) + kept.bytes);
    }
    return bytes + Math.min(2, Math.max(1, this.#batch)) * Math.max(0, ...passing.values());
  }

  /** Peak bytes kept by all unreleased sessions together; a device with a smaller bound evicts the oldest. */
  sessionBytes = 0;

  /** Removes the released session of this graph. */
  released(graph: Uint8Array): void {
    this.#sessions.delete(createHash('sha256').update(graph).digest('hex'));
  }

  /** Begins another batch. */
  next(): void {
    this.#batch++;
  }

  /** Counts this array as held. */
  hold(array: Values): void {
    this.#seen(array).held = true;
  }

  #seen({ buffer }: Values): Kept {
    let kept = this.#kept.get(buffer);
    if (!kept) {
      this.#kept.set(
        buffer,
        (kept = { bytes: buffer.byteLength, held: false, first: this.#batch, last: this.#batch }),
      );
      this.#all.push(kept);
    }
    kept.last = this.#batch;
    return kept;
  }

  /** Counts a program instead of running it; `frozen` if sessions hold the frozen arrays. */
  counter(
    facts: ProgramFacts,
    roots: Readonly<Record<string, Expr>>,
    graph: Uint8Array,
    frozen?: { readonly arrays: FrozenArrays; readonly kind: string },
  ): Execute {
    const all = Object.values(roots);
    const { inputs, outputs, inPlace } = facts;
    // outputs are computed into arrays of the caller
    const written = new Set(
      Object.entries(roots).flatMap(([output, root]) => (inPlace[output]?.how === 'copied' ? [] : [root])),
    );
    const [values, flops] = [peakBytes(all, written), matrixFlops(all)];
    const key = createHash('sha256').update(graph).digest('hex');
    const session = values + graph.length + constantBytes(all);
    const { axes } = facts;
    const growing = Object.keys(inputs).filter(
      (input) => input in axes && !Object.values(inPlace).some((place) => place.input === input),
    );
    const elements = (sizes: Sizes) =>
      growing.reduce((sum, input) => sum + sizeOf(shapeIn(facts, input, inputs[input], sizes)), 0);
    const overwritten = new Set(Object.values(inPlace).map(({ input }) => input));
    return (feeds: Feeds, sizes: Sizes) => {
      // the need of a run grows with its rows
      const stretch = growing.length > 0 ? elements(sizes) / elements({}) : 1;
      for (const input of overwritten) this.#seen(feeds[input]);
      if (frozen) this.#copied(frozen.kind, frozenIn(frozen.arrays, facts, feeds));
      const fed = Object.keys(inputs).reduce(
        (sum, input) => sum + (this.#kept.has(feeds[input].buffer) ? 0 : feeds[input].byteLength),
        0,
      );
      const results = Object.fromEntries(
        Object.entries(outputs)
          .filter(([output]) => !inPlace[output])
          .map(([output, type]) => [
            output,
            this.#made(type.dtype, sizeOf(shapeIn(facts, output, type, sizes))),
          ]),
      );
      const returned = Object.values(results).reduce((sum, array) => sum + array.byteLength, 0);
      this.transientBytes = Math.max(this.transientBytes, stretch * values + fed + returned);
      this.valueBytes = Math.max(this.valueBytes, stretch * values);
      this.flops += stretch * flops;
      this.#sessions.set(key, Math.max(this.#sessions.get(key) ?? 0, session + (stretch - 1) * values));
      this.sessionBytes = Math.max(
        this.sessionBytes,
        [...this.#sessions.values()].reduce((sum, bytes) => sum + bytes, 0),
      );
      return Promise.resolve(results);
    };
  }

  #copied(kind: string, { places, files }: Frozen): void {
    const key = `${kind} of ${[...files.keys()].join()}`;
    const bytes = bytesOfPlaces(places);
    if (bytes > 0) this.#copies.set(key, Math.max(bytes, this.#copies.get(key) ?? 0));
  }

  #made(dtype: DType, size: number): Values {
    const values = new arrayOf[dtype](size);
    const whole = this.#whole;
    return values instanceof Int32Array && whole ? values.map(() => whole(this.#drawn++)) : values;
  }
  #drawn = 0;
}
