import { hash32, tokenUniforms, type TokenKey } from '../../data/random.ts';
import { WhetstoneError } from '../../schema/errors.ts';
import { specials } from '../../text/tokenizer.ts';
import { floats, ints, type ModelDevice, type ModelFeeds, type ModelProgram } from '../device.ts';
import { inputsOf, type ModelInputs } from '../inputs.ts';
import type { Model } from '../model.ts';
import { bucket, programFor, runWith } from '../programs.ts';
import { cacheBytesOf, KeyValueCache } from './cache.ts';
import { chunkGraph, prefillGraph } from './graphs.ts';
import { packedProgram, packedPrograms, worthPacking } from './packed.ts';

/** One answer to write: a prompt that starts with `begin`, and what names it among all random draws. */
export interface AnswerRequest {
  readonly prompt: Int32Array;
  readonly promptId: string;
  readonly sample: number;
  /** Longest answer of this row, where it is shorter than that of all. */
  readonly maxTokens?: number;
}

export interface GenerateOptions {
  readonly device: ModelDevice;
  readonly model: Model;
  readonly rows: readonly AnswerRequest[];
  /** 0 is greedy. */
  readonly temperature: number;
  /** The most likely token each time, whatever the temperature. */
  readonly greedy?: boolean;
  /** Longest answer, end-of-sequence included; the model's context may end it earlier. */
  readonly maxTokens: number;
  /** Tokens that end an answer; that of the tokenizers made here unless told. */
  readonly ends?: readonly number[];
  readonly seed: number;
  readonly purpose: string;
  readonly step: number;
  readonly signal?: AbortSignal;
}

/** A sampled answer. It is never tokenized again. */
export interface Answer {
  /** Prompt and answer, end-of-sequence included where it was sampled. */
  readonly tokens: Int32Array;
  readonly promptLength: number;
  /** Natural log-probability of each answer token under the sampling temperature (1 for greedy answers). */
  readonly logp: Float32Array;
  readonly stopReason: 'end' | 'length';
}

interface Flying {
  readonly index: number;
  readonly prompt: Int32Array;
  readonly key: TokenKey;
  readonly limit: number;
  readonly made: number[];
  readonly logp: number[];
  /** Places of the cache in use: every token but the last. */
  length: number;
}

/** Memory for keys and values of one batch; more rows than fit wait their turn. */
const cacheBytes = 2 ** 28;
const mostRows = 256;
/** Tokens a run. A row that ends inside a chunk is computed to its end; longer chunks carry more state through each pass of the loop. */
const chunkLength = 8;

/**
 * Samples answers with a cache of keys and values, in chunks of tokens that run inside one graph. A token is drawn by inversion from
 * a uniform keyed by (seed, purpose, step, prompt, sample, token), so an answer does not depend on which other rows there are or in
 * what order. Finished rows leave between chunks and waiting ones take their place. Answers come in the order of `rows`.
 */
export const generate = async (options: GenerateOptions): Promise<Answer[]> => {
  const flight = new Flight(options);
  while (!flight.done) {
    if (options.signal?.aborted) throw new WhetstoneError('cancelled', 'Sampling was stopped.', { where: options.purpose });
    await flight.admit();
    await flight.chunk();
  }
  return flight.answers;
};

class Flight {
  readonly answers: Answer[] = [];
  readonly #options: GenerateOptions;
  readonly #greedy: boolean;
  readonly #weights: ModelInputs;
  readonly #mostRows: number;
  readonly #waiting: Flying[];
  #slots: (Flying | undefined)[] = [];
  #cache: KeyValueCache;
  #packed: Map<string, Promise<ModelProgram>> | undefined;

  constructor(options: GenerateOptions) {
    const { model: { config }, temperature } = options;
    if (!(temperature >= 0 && temperature < Infinity)) throw new WhetstoneError('invalid-input', `A sampling temperature of ${temperature} is not a number from 0 up.`, { where: 'temperature' });
    if (!Number.isInteger(options.maxTokens) || options.maxTokens < 1) throw new WhetstoneError('invalid-input', `An answer of at most ${options.maxTokens} tokens cannot be written.`, { where: 'maxTokens' });
    if (config.head !== 'next-token') throw new WhetstoneError('unsupported', 'A reward model scores text and cannot write it.', { where: 'model', hint: 'Choose a policy.' });
    this.#options = options;
    this.#greedy = options.greedy === true || temperature === 0;
    this.#weights = inputsOf(options.model);
    options.device.hold(...this.#weights.arrays);
    this.#mostRows = 2 ** Math.floor(Math.log2(Math.min(mostRows, Math.max(1, cacheBytes / cacheBytesOf(config)))));
    // Rows of like length wait together, and rows of one prompt side by side, so that it is read once.
    this.#waiting = options.rows.map((row, index) => flying(row, index, options)).sort((a, b) => a.prompt.length - b.prompt.length || a.key.prompt - b.key.prompt || a.index - b.index);
    this.#cache = new KeyValueCache(config, 0, 0);
  }

  get done(): boolean {
    return this.#waiting.length === 0 && this.#slots.every((row) => !row);
  }

  /** Fills free slots with waiting rows, and fits the cache to the rows there are. */
  async admit(): Promise<void> {
    const staying = this.#slots.flatMap((row, from) => row ? [{ row, from }] : []);
    const joining = this.#waiting.splice(0, this.#mostRows - staying.length);
    const rows = [...staying.map(({ row }) => row), ...joining];
    // Room for the coming chunk too, so that its keys and values can be kept. Rows that reach the context's end do not stay.
    const { B, P, packed } = this.#shapeFor(rows);
    this.#packed = packed ? this.#packed ?? await packedPrograms(this.#options.device, this.#options.model.parameters) : undefined;
    if (B !== this.#cache.slots || P > this.#cache.places) {
      const cache = new KeyValueCache(this.#options.model.config, B, P);
      cache.takeFrom(this.#cache, staying.map(({ row, from }, to) => ({ from, to, length: row.length })));
      this.#cache = cache;
      this.#slots = Array.from({ length: B }, (_, slot) => staying[slot]?.row);
    }
    const free = this.#slots.flatMap((row, slot) => row ? [] : [slot]);
    joining.forEach((row, i) => { this.#slots[free[i]] = row; });
    await this.#prefill(joining, free);
  }

  /**
   * Slots and places for these rows, and whether their programs hold the weights. Such programs are made for few shapes: slots in powers of four,
   * and places for the longest row's end.
   */
  #shapeFor(rows: readonly Flying[]): { B: number; P: number; packed: boolean } {
    const { model: { config, parameters, adapter } } = this.#options;
    const places = (most: (row: Flying) => number) => Math.min(placesFor(Math.max(...rows.map(most)) + chunkLength), config.context);
    // a frozen model stands in memory once
    if (adapter || !worthPacking(parameters, rows.length, Math.max(...rows.map(({ limit }) => limit)))) return { B: bucket(rows.length), P: places(({ length }) => length), packed: false };
    return { B: 4 ** Math.ceil(Math.log2(rows.length) / 2), P: places(({ prompt, limit }) => prompt.length + limit), packed: true };
  }

  /** The program that samples a chunk. */
  #program(): Promise<ModelProgram> {
    const { device, model } = this.#options, { config } = model;
    const shape = { B: this.#cache.slots, P: this.#cache.places, C: chunkLength, greedy: this.#greedy }, graph = () => chunkGraph(config, this.#weights.lookup(), shape);
    return this.#packed ? packedProgram(this.#packed, device, model, `generate ${JSON.stringify(shape)}`, graph) : programFor(device, 'generate', { config, form: this.#weights.form }, shape, graph);
  }

  /** Reads the prompts of new rows (all but their last token) into their slots; equal prompts are read once. */
  async #prefill(rows: readonly Flying[], slots: readonly number[]): Promise<void> {
    const { device, model: { config } } = this.#options;
    const places = new Map<string, { prompt: Int32Array; slots: number[] }>();
    rows.forEach(({ prompt }, i) => {
      const found = places.get(prompt.join());
      if (found) found.slots.push(slots[i]);
      else if (prompt.length > 1) places.set(prompt.join(), { prompt, slots: [slots[i]] });
    });
    if (places.size === 0) return;
    const prompts = [...places.values()];
    const B = bucket(prompts.length), T = Math.min(bucket(Math.max(...prompts.map(({ prompt }) => prompt.length - 1)), 16), config.context);
    const program = await programFor(device, 'read prompts', { config, form: this.#weights.form }, { B, T }, () => prefillGraph(config, this.#weights.lookup(), { B, T }));
    const tokens = new Int32Array(B * T);
    prompts.forEach(({ prompt }, b) => { tokens.set(prompt.subarray(0, -1), b * T); });
    const outputs = await runWith(program, this.#weights.feeds, { tokens });
    this.#cache.append(outputs, T, (name) => name, prompts.flatMap(({ prompt, slots: into }, from) => into.map((to) => ({ from, to, at: 0, count: prompt.length - 1 }))));
  }

  /** Samples a chunk for every slot, hands out finished answers, and keeps the keys and values of the rest. */
  async chunk(): Promise<void> {
    const { temperature } = this.#options, cache = this.#cache, C = chunkLength, greedy = this.#greedy;
    const outputs = await runWith(await this.#program(), this.#weights.feeds, {
      ...cache.feeds,
      pastLength: Int32Array.from(this.#slots, (row) => row?.length ?? 0),
      token: Int32Array.from(this.#slots, (row) => row ? row.made.at(-1) ?? row.prompt[row.prompt.length - 1] : 0),
      inverseTemperature: Float32Array.of(greedy ? 1 : 1 / temperature),
      ...(!greedy && { uniforms: this.#uniforms() }),
    });
    this.#harvest(outputs);
    const staying = this.#slots.flatMap((row, slot) => row ? [{ from: slot, to: slot, at: row.length, count: C }] : []);
    cache.append(outputs, C, (name) => `new ${name}`, staying);
    for (const row of this.#slots) if (row) row.length += C;
  }

  #uniforms(): Float32Array {
    const uniforms = new Float32Array(this.#slots.length * chunkLength).fill(0.5);
    this.#slots.forEach((row, slot) => { if (row) tokenUniforms(row.key, row.made.length, uniforms, slot * chunkLength, chunkLength); });
    return uniforms;
  }

  #harvest(outputs: ModelFeeds): void {
    const tokens = ints(outputs, 'tokens'), logp = floats(outputs, 'logp'), B = this.#slots.length, { ends = [specials.end] } = this.#options;
    this.#slots.forEach((row, slot) => {
      if (!row) return;
      for (let t = 0; t < chunkLength && this.#slots[slot]; t++) {
        const token = tokens[t * B + slot], value = logp[t * B + slot];
        if (!Number.isFinite(value)) throw new WhetstoneError('numeric', 'The model gave a log-probability that is not a number.', { where: `step ${row.key.step}, token ${row.made.length}`, hint: 'Continue from an earlier checkpoint with a lower learning rate.' });
        row.made.push(token);
        row.logp.push(value);
        if (!ends.includes(token) && row.made.length < row.limit) continue;
        this.answers[row.index] = {
          tokens: Int32Array.of(...row.prompt, ...row.made), promptLength: row.prompt.length, logp: Float32Array.from(row.logp),
          stopReason: ends.includes(token) ? 'end' : 'length',
        };
        this.#slots[slot] = undefined;
      }
    });
  }
}

/** Places for `n` tokens: rounded up to a quarter of their power of two, since every pass reads all places, and to 32 at least, since every number is a program. */
const placesFor = (n: number): number => {
  const step = Math.max(32, 2 ** (Math.floor(Math.log2(n)) - 2));
  return Math.ceil(n / step) * step;
};

const flying = ({ prompt, promptId, sample, maxTokens = Infinity }: AnswerRequest, index: number, { model: { config }, maxTokens: longest, seed, purpose, step }: GenerateOptions): Flying => {
  const limit = Math.min(maxTokens, longest, config.context - prompt.length);
  if (prompt.length === 0) throw new WhetstoneError('invalid-input', 'A prompt needs at least the token that begins it.', { where: `prompt ${promptId}` });
  if (limit < 1) throw new WhetstoneError('invalid-input', `A prompt of ${prompt.length} tokens leaves no room for an answer in a context of ${config.context}.`, { where: `prompt ${promptId}`, hint: 'Leave out long prompts, or train a model with a longer context.' });
  const wrong = prompt.find((id) => id < 0 || id >= config.vocabulary);
  if (wrong !== undefined) throw new WhetstoneError('invalid-input', `The prompt holds token ${wrong}; the model knows 0 to ${config.vocabulary - 1}.`, { where: `prompt ${promptId}`, hint: 'Encode prompts with the model’s own tokenizer.' });
  return { index, prompt, key: { seed, purpose, step, prompt: hash32(promptId), sample }, limit, made: [], logp: [], length: prompt.length - 1 };
};
