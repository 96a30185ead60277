import { tokenUniforms } from '../../random/random.ts';
import { floats, ints, type ModelFeeds, type ModelProgram } from '../device.ts';
import { inputsOf, type ModelInputs } from '../inputs.ts';
import { bucket, kindOf, programFor, quarterBucket, runWith } from '../programs.ts';
import { biasOf } from './bias.ts';
import { cacheBytesOf, KeyValueCache } from './cache.ts';
import type { Filters } from './filters.ts';
import { chunkGraph, prefillGraph } from './graphs.ts';
import {
  advance,
  filtersOf,
  isBiased,
  isHooked,
  latest,
  readText,
  shareWritten,
  sharpnessOf,
  waitingRows,
  type Answer,
  type PartialAnswer,
  type GenerateOptions,
} from './rows.ts';
import { directionFeed, softWidth } from '../soft-prompt.ts';
import { steeringFeeds } from './steering.ts';

/** Memory for the KV cache of one batch; further rows wait. */
const cacheBytes = 2 ** 28;
const mostRows = 256;
/**
 * Tokens per run. A row that ends inside a chunk is computed to its end; longer chunks copy more state in
 * each iteration of the loop.
 */
const chunkLength = 8;

/**
 * Generates answers in chunks of tokens, each chunk inside one graph run. Finished rows leave between chunks
 * and waiting ones replace them.
 */
export class ChunkGenerator {
  readonly answers: Answer[] = [];
  readonly #options: GenerateOptions;
  readonly #greedy: boolean;
  readonly #filters: Filters;
  readonly #biased: boolean;
  /** Tokens per run: one where hooks decide before each. */
  readonly #chunk: number;
  readonly #weights: ModelInputs;
  readonly #mostRows: number;
  readonly #waiting: PartialAnswer[];
  #slots: (PartialAnswer | undefined)[] = [];
  #cache: KeyValueCache;

  constructor(options: GenerateOptions) {
    const {
      model: { config },
    } = options;
    this.#options = options;
    this.#greedy = options.greedy === true || options.temperature === 0;
    this.#filters = filtersOf(options);
    this.#biased = isBiased(options);
    this.#chunk = isHooked(options) ? 1 : chunkLength;
    this.#weights = inputsOf(options.model);
    options.device.hold(...this.#weights.arrays);
    options.device.freeze(...(this.#weights.frozen ?? []));
    this.#mostRows =
      2 ** Math.floor(Math.log2(Math.min(mostRows, Math.max(1, cacheBytes / cacheBytesOf(config)))));
    this.#waiting = waitingRows(options);
    this.#cache = new KeyValueCache(config, 0, 0);
  }

  get done(): boolean {
    return this.#waiting.length === 0 && this.#slots.every((row) => !row);
  }

  /** Progress, 0–1. */
  get share(): number {
    return shareWritten(
      this.#waiting,
      this.#slots.filter((row) => row !== undefined),
      this.#options.rows,
    );
  }

  /** Fills free slots with waiting rows, and fits the cache to the rows in flight. */
  async admit(): Promise<void> {
    const staying = this.#slots.flatMap((row, from) => (row ? [{ row, from }] : []));
    const joining = this.#waiting.splice(0, this.#mostRows - staying.length);
    const rows = [...staying.map(({ row }) => row), ...joining];
    // Room for the coming chunk too, so that its keys and values can be kept. Rows that reach the context's
    // end are not kept.
    const { B, P } = this.#shape('generate', {
      B: bucket(rows.length),
      P: Math.min(
        quarterBucket(Math.max(...rows.map(({ length }) => length)) + this.#chunk, 32),
        this.#options.model.config.context,
      ),
    });
    if (B !== this.#cache.slots || P > this.#cache.places) {
      const cache = new KeyValueCache(this.#options.model.config, B, P);
      cache.takeFrom(
        this.#cache,
        staying.map(({ row, from }, to) => ({ from, to, length: row.length })),
      );
      this.#cache = cache;
      this.#slots = Array.from({ length: B }, (_, slot) => staying[slot]?.row);
    }
    const free = this.#slots.flatMap((row, slot) => (row ? [] : [slot]));
    joining.forEach((row, i) => {
      this.#slots[free[i]] = row;
    });
    await this.#prefill(joining, free);
  }

  /** The shape of a program: no smaller than the last one if its session holds a frozen model. */
  #shape<S extends Readonly<Record<string, number>>>(name: string, shape: S): S {
    const {
      device,
      model: { config },
    } = this.#options;
    const { form, frozen } = this.#weights;
    return frozen ? device.grown(kindOf(name, { config, form }), shape) : shape;
  }

  /** The program that samples a chunk. */
  #program(): Promise<ModelProgram> {
    const {
      device,
      model: { config },
    } = this.#options;
    const shape = {
      B: this.#cache.slots,
      P: this.#cache.places,
      C: this.#chunk,
      greedy: this.#greedy,
      ...this.#filters,
      ...(this.#biased && { biased: true }),
      ...(this.#options.steering && { steered: this.#options.steering.layer }),
    };
    return programFor(device, 'generate', { config, form: this.#weights.form }, shape, () => ({
      outputs: chunkGraph(config, this.#weights.lookup(), shape),
    }));
  }

  /**
   * Prefills the prompts of new rows (all but their last token) into their slots; equal prompts are computed
   * once.
   */
  async #prefill(rows: readonly PartialAnswer[], slots: readonly number[]): Promise<void> {
    const {
      device,
      model: { config },
    } = this.#options;
    const places = new Map<string, Pick<PartialAnswer, 'prompt' | 'direction'> & { slots: number[] }>();
    rows.forEach((row, i) => {
      const { prompt, direction } = row;
      const found = places.get(readText(row));
      if (found) found.slots.push(slots[i]);
      else if (prompt.length > 1) places.set(readText(row), { prompt, direction, slots: [slots[i]] });
    });
    if (places.size === 0) return;
    const prompts = [...places.values()];
    const { B, T } = this.#shape('read prompts', {
      B: bucket(prompts.length),
      T: Math.min(bucket(Math.max(...prompts.map(({ prompt }) => prompt.length - 1)), 16), config.context),
    });
    const program = await programFor(
      device,
      'read prompts',
      { config, form: this.#weights.form },
      { B, T },
      () => ({ outputs: prefillGraph(config, this.#weights.lookup(), { B, T }) }),
    );
    const tokens = new Int32Array(B * T);
    prompts.forEach(({ prompt }, b) => {
      tokens.set(prompt.subarray(0, -1), b * T);
    });
    const size = softWidth(config);
    const padding = new Array<undefined>(B - prompts.length).fill(undefined);
    const outputs = await runWith(program, this.#weights.feeds, {
      tokens,
      ...(size > 0 && { directions: directionFeed([...prompts, ...padding], size) }),
    });
    this.#cache.append(
      outputs,
      T,
      (name) => name,
      prompts.flatMap(({ prompt, slots: into }, from) =>
        into.map((to) => ({ from, to, at: 0, count: prompt.length - 1 })),
      ),
    );
  }

  /** Samples a chunk for every slot, returns finished answers, and keeps the keys and values of the rest. */
  async advance(): Promise<void> {
    const cache = this.#cache;
    const C = this.#chunk;
    const greedy = this.#greedy;
    const outputs = await runWith(await this.#program(), this.#weights.feeds, {
      ...cache.feeds,
      pastLength: Int32Array.from(this.#slots, (row) => row?.length ?? 0),
      token: Int32Array.from(this.#slots, (row) => (row ? latest(row) : 0)),
      inverseTemperature: this.#sharpness(),
      ...(!greedy && { uniforms: this.#uniforms() }),
      ...(this.#options.steering && steeringFeeds(this.#options.steering, this.#slots)),
      ...(this.#biased && {
        bias: biasOf(this.#options, this.#slots, ({ made }) => sharpnessOf(this.#options)(made.length)),
      }),
    });
    this.#harvest(outputs);
    const staying = this.#slots.flatMap((row, slot) =>
      row ? [{ from: slot, to: slot, at: row.length, count: C }] : [],
    );
    cache.append(outputs, C, (name) => `new ${name}`, staying);
    for (const row of this.#slots) if (row) row.length += C;
  }

  #sharpness(): Float32Array {
    const of = sharpnessOf(this.#options);
    return Float32Array.from({ length: this.#slots.length * this.#chunk }, (_, at) =>
      of((this.#slots[Math.floor(at / this.#chunk)]?.made.length ?? 0) + (at % this.#chunk)),
    );
  }

  #uniforms(): Float32Array {
    const uniforms = new Float32Array(this.#slots.length * this.#chunk).fill(0.5);
    this.#slots.forEach((row, slot) => {
      if (row) tokenUniforms(row.key, row.made.length, uniforms, slot * this.#chunk, this.#chunk);
    });
    return uniforms;
  }

  #harvest(outputs: ModelFeeds): void {
    const tokens = ints(outputs, 'tokens');
    const logp = floats(outputs, 'logp');
    const dropped = 'dropped' in outputs ? floats(outputs, 'dropped') : undefined;
    const B = this.#slots.length;
    this.#slots.forEach((row, slot) => {
      if (!row) return;
      for (let t = 0; t < this.#chunk && this.#slots[slot]; t++) {
        const at = t * B + slot;
        const answer = advance(row, tokens[at], logp[at], this.#options.ends, dropped?.[at]);
        if (!answer) continue;
        this.answers[row.index] = answer;
        this.#slots[slot] = undefined;
      }
    });
  }
}
