import { tokenUniforms } from '../../data/random.ts';
import { floats, ints, type ModelFeeds, type ModelProgram } from '../device.ts';
import { transformerOf } from '../families/index.ts';
import { inputsOf, type ModelInputs } from '../inputs.ts';
import { bucket, programFor } from '../programs.ts';
import { packedProgram, packedPrograms, worthPacking } from './packed.ts';
import { RowCache } from './row-cache.ts';
import { advance, latest, sharpnessOf, waitingRows, type Answer, type Flying, type GenerateOptions } from './rows.ts';
import { stepPlan } from './step-graphs.ts';

/** Memory for keys and values of one batch; more rows than fit wait their turn. */
const cacheBytes = 2 ** 28;
const mostRows = 256;
/** Tokens of prompts that are read in one pass. */
const mostRead = 4096;
/** Uniforms that are drawn at once for a row. */
const drawn = 16;

/** A program, and those of the weights that it must be fed. */
interface Ready { readonly program: ModelProgram; readonly weights: ModelFeeds }

/** Answers written one token a run, all rows at once, into a cache that grows in place. The rows stand at its front: the last one takes the place of one that ends. */
export class StepFlight {
  readonly answers: Answer[] = [];
  readonly #options: GenerateOptions;
  readonly #greedy: boolean;
  readonly #sharpness: (t: number) => number;
  readonly #weights: ModelInputs;
  readonly #waiting: Flying[];
  readonly #rows: Flying[] = [];
  readonly #uniforms = new Map<Flying, Float32Array>();
  readonly #cache: RowCache;
  readonly #packs: boolean;
  #step: Ready | undefined;

  constructor(options: GenerateOptions) {
    const { model: { config, parameters, adapter, quantized }, device } = options;
    this.#options = options;
    this.#greedy = options.greedy === true || options.temperature === 0;
    this.#sharpness = sharpnessOf(options);
    this.#weights = inputsOf(options.model);
    device.hold(...this.#weights.arrays);
    this.#waiting = waitingRows(options);
    // a frozen model stands in memory once
    this.#packs = !adapter && !quantized && worthPacking(parameters, Math.min(options.maxTokens, config.context));
    const { kvHeads, size } = transformerOf(config), most = (length: (row: Flying) => number) => Math.max(1, ...this.#waiting.map(length));
    const places = Math.max(most(({ prompt, limit }) => prompt.length + limit - 1), this.#readLength(this.#waiting));
    const bytes = 2 * Float32Array.BYTES_PER_ELEMENT * config.layers * kvHeads * size * places;
    const slots = Math.max(1, Math.min(mostRows, this.#waiting.length, Math.floor(cacheBytes / bytes)));
    this.#cache = new RowCache({ layers: config.layers, heads: kvHeads, size, slots, places });
  }

  get done(): boolean { return this.#waiting.length === 0 && this.#rows.length === 0; }

  /** Tokens of a pass that reads the prompts of these rows. */
  #readLength(rows: readonly Flying[]): number {
    return Math.min(bucket(Math.max(0, ...rows.map(({ length }) => length)), 16), this.#options.model.config.context);
  }

  /** Lets waiting rows in, as soon as a few have room: prompts are read together. Equal prompts are read once. */
  async admit(): Promise<void> {
    const free = this.#cache.slots - this.#rows.length;
    if (this.#waiting.length === 0 || (this.#rows.length > 0 && free < Math.min(this.#waiting.length, this.#cache.slots / 8))) return;
    const joining = this.#waiting.splice(0, free), groups = [...Map.groupBy(joining, ({ prompt }) => prompt.join()).values()];
    const first = this.#rows.length, firsts = groups.map(([row]) => row).sort((a, b) => b.length - a.length);
    this.#rows.push(...firsts);
    const atOnce = Math.max(1, Math.floor(mostRead / this.#readLength(joining)));
    for (let at = 0; at < firsts.length; at += atOnce) await this.#read(firsts.slice(at, at + atOnce), first + at);
    for (const [one, ...others] of groups) for (const row of others) {
      this.#cache.copy(this.#rows.indexOf(one, first), this.#rows.length, row.length);
      this.#rows.push(row);
    }
  }

  /** Reads prompts (all but their last token) into the slots from `start` on. */
  async #read(rows: readonly Flying[], start: number): Promise<void> {
    const tokens = this.#readLength(rows), B = rows.length, N = B * tokens;
    if (rows.every(({ length }) => length === 0)) return;
    const { program, weights } = await this.#fed('read prompts', tokens);
    const token = new Int32Array(N);
    rows.forEach(({ prompt, length }, b) => { token.set(prompt.subarray(0, length), b * tokens); });
    await program.run({
      ...weights, ...this.#cache.feeds(start, B), token, position: Int32Array.from(token, (_, at) => at % tokens),
      last: Int32Array.from(rows, ({ length }) => Math.max(0, length - 1)), total: Int32Array.of(tokens),
    }, { B, N, P: this.#cache.places });
  }

  /** A program that is fed the weights. */
  async #fed(name: string, tokens: number): Promise<Ready> {
    const { device, model: { config } } = this.#options, shape = { tokens, greedy: this.#greedy };
    const program = await programFor(device, name, { config, form: this.#weights.form }, shape, () => stepPlan(config, this.#weights.lookup(), shape));
    return { program, weights: Object.fromEntries(Object.entries(this.#weights.feeds).filter(([input]) => input in program.inputs)) };
  }

  /** The program that samples a token for every row. */
  async #sampler(): Promise<Ready> {
    if (!this.#packs) return this.#fed('generate', 1);
    const { device, model } = this.#options, shape = { tokens: 1, greedy: this.#greedy };
    const programs = await packedPrograms(device, model.parameters);
    return { program: await packedProgram(programs, device, model, `generate ${JSON.stringify(shape)}`, () => stepPlan(model.config, this.#weights.lookup(), shape)), weights: {} };
  }

  /** Samples a token for every row, and hands out the answers that it ends. */
  async advance(): Promise<void> {
    const rows = this.#rows, B = rows.length, { program, weights } = this.#step ??= await this.#sampler();
    const token = new Int32Array(B), last = new Int32Array(B), total = new Int32Array(1), uniforms = new Float32Array(B), inverseTemperature = new Float32Array(B);
    for (let slot = 0; slot < B; slot++) {
      const row = rows[slot];
      token[slot] = latest(row);
      last[slot] = row.length;
      total[0] = Math.max(total[0], row.length + 1);
      inverseTemperature[slot] = this.#sharpness(row.made.length);
      if (!this.#greedy) uniforms[slot] = this.#uniform(row);
    }
    const outputs = await program.run({ ...weights, ...this.#cache.feeds(0, B), token, last, total, inverseTemperature, ...(!this.#greedy && { uniforms }) }, { B, P: this.#cache.places });
    const next = ints(outputs, 'next'), logp = floats(outputs, 'logp');
    for (let slot = B - 1; slot >= 0; slot--) {
      const row = rows[slot], answer = advance(row, next[slot], logp[slot], this.#options.ends);
      row.length++;
      if (answer) this.#leave(slot, answer);
    }
  }

  #leave(slot: number, answer: Answer): void {
    const row = this.#rows[slot], mover = this.#rows.pop()!;
    this.answers[row.index] = answer;
    this.#uniforms.delete(row);
    if (mover === row) return;
    this.#cache.copy(this.#rows.length, slot, mover.length);
    this.#rows[slot] = mover;
  }

  #uniform(row: Flying): number {
    const at = row.made.length % drawn, uniforms = this.#uniforms.get(row) ?? new Float32Array(drawn);
    if (at === 0) {
      tokenUniforms(row.key, row.made.length, uniforms);
      this.#uniforms.set(row, uniforms);
    }
    return uniforms[at];
  }
}
