import { tokenUniforms } from '../../random/random.ts';
import { floats, ints, type ModelFeeds, type ModelProgram } from '../device.ts';
import { transformerOf } from '../families/index.ts';
import { inputsOf, type ModelInputs } from '../inputs.ts';
import { programFor, quarterBucket } from '../programs.ts';
import { packedProgram, packedPrograms, worthPacking } from './packed.ts';
import { RowCache } from './row-cache.ts';
import {
  advance,
  latest,
  shareWritten,
  sharpnessOf,
  waitingRows,
  type Answer,
  type PartialAnswer,
  type GenerateOptions,
} from './rows.ts';
import { stepPlan, type StepShape } from './step-graphs.ts';

/** Memory for the KV cache of one batch; further rows wait. */
const cacheBytes = 2 ** 28;
const mostRows = 256;
/** Prompt tokens per prefill pass. */
const mostRead = 4096;
/** Uniforms drawn at once for a row. */
const drawn = 16;
/**
 * Tokens per run when there are few rows: one row then takes 0.87 of the time, and 16 gain nothing. A row
 * that ends inside a run is computed to the run's end. The program for it takes longer to make than it saves
 * in one answer, so it is made only for weights that have been sampled from before.
 */
const atOnce = 8;
const fewRows = 2;

/**
 * Range of rows in which products with fed matrices [out, in] are faster transposed; a program of its own
 * for fewer or more would gain nothing.
 */
const flippedFrom = 8;
const flippedTo = 48;

/** A program, and the weights that it must be fed. */
interface Ready {
  readonly program: ModelProgram;
  readonly weights: ModelFeeds;
}

/**
 * Generates answers one token per run (with few rows: several), all rows at once, into a KV cache that grows
 * in place. The rows fill its front: the last one moves into the slot of one that ends.
 */
export class StepGenerator {
  readonly answers: Answer[] = [];
  readonly #options: GenerateOptions;
  readonly #greedy: boolean;
  readonly #sharpness: (t: number) => number;
  readonly #weights: ModelInputs;
  readonly #waiting: PartialAnswer[];
  readonly #rows: PartialAnswer[] = [];
  readonly #uniforms = new Map<PartialAnswer, Float32Array>();
  readonly #cache: RowCache;
  readonly #packs: boolean;
  /** Tokens that one run samples for each row, if every row has as many left; known from the first run. */
  #most: number | undefined;
  readonly #samplers = new Map<string, Ready>();

  constructor(options: GenerateOptions) {
    const {
      model: { config, parameters, adapter, quantized },
      device,
    } = options;
    this.#options = options;
    this.#greedy = options.greedy === true || options.temperature === 0;
    this.#sharpness = sharpnessOf(options);
    this.#weights = inputsOf(options.model);
    device.hold(...this.#weights.arrays);
    this.#waiting = waitingRows(options);
    // a frozen model is in memory only once
    this.#packs =
      !adapter && !quantized && worthPacking(parameters, Math.min(options.maxTokens, config.context));
    if (!this.#packs || this.#waiting.length > fewRows) this.#most = 1;
    const { kvHeads, size } = transformerOf(config);
    const most = (length: (row: PartialAnswer) => number) => Math.max(1, ...this.#waiting.map(length));
    const places = Math.max(
      most(({ prompt, limit }) => prompt.length + limit - 1),
      this.#readLength(this.#waiting),
    );
    const bytes = 2 * Float32Array.BYTES_PER_ELEMENT * config.layers * kvHeads * size * places;
    const slots = Math.max(1, Math.min(mostRows, this.#waiting.length, Math.floor(cacheBytes / bytes)));
    this.#cache = new RowCache({ layers: config.layers, heads: kvHeads, size, slots, places });
  }

  get done(): boolean {
    return this.#waiting.length === 0 && this.#rows.length === 0;
  }

  /** Progress, 0–1. */
  get share(): number {
    return shareWritten(this.#waiting, this.#rows, this.#options.rows);
  }

  /** Tokens of a pass that prefills these rows. */
  #readLength(rows: readonly PartialAnswer[]): number {
    return Math.min(
      quarterBucket(Math.max(0, ...rows.map(({ length }) => length)), 16),
      this.#options.model.config.context,
    );
  }

  /**
   * Admits waiting rows as soon as a few have room, and prefills them together. Equal prompts are computed
   * once.
   */
  async admit(): Promise<void> {
    const free = this.#cache.slots - this.#rows.length;
    if (
      this.#waiting.length === 0 ||
      (this.#rows.length > 0 && free < Math.min(this.#waiting.length, this.#cache.slots / 8))
    )
      return;
    const joining = this.#waiting.splice(0, free);
    const groups = [...Map.groupBy(joining, ({ prompt }) => prompt.join()).values()];
    const first = this.#rows.length;
    const firsts = groups.map(([row]) => row).sort((a, b) => b.length - a.length);
    this.#rows.push(...firsts);
    const atOnce = Math.max(1, Math.floor(mostRead / this.#readLength(joining)));
    for (let at = 0; at < firsts.length; at += atOnce)
      await this.#read(firsts.slice(at, at + atOnce), first + at);
    for (const [one, ...others] of groups)
      for (const row of others) {
        this.#cache.copy(this.#rows.indexOf(one, first), this.#rows.length, row.length);
        this.#rows.push(row);
      }
  }

  /** Prefills prompts (all but their last token) into the slots from `start` on. */
  async #read(rows: readonly PartialAnswer[], start: number): Promise<void> {
    const tokens = this.#readLength(rows);
    const B = rows.length;
    const N = B * tokens;
    if (rows.every(({ length }) => length === 0)) return;
    const { program, weights } = await this.#fed('read prompts', {
      tokens,
      samples: 0,
      greedy: this.#greedy,
      flipped: false,
    });
    const token = new Int32Array(N);
    rows.forEach(({ prompt, length }, b) => {
      token.set(prompt.subarray(0, length), b * tokens);
    });
    await program.run(
      {
        ...weights,
        ...this.#cache.feeds(start, B),
        token,
        position: Int32Array.from(token, (_, at) => at % tokens),
        last: Int32Array.from(rows, ({ length }) => Math.max(0, length - 1)),
        total: Int32Array.of(tokens),
      },
      { B, N, P: this.#cache.places },
    );
  }

  /** A program with fed weights. */
  async #fed(name: string, shape: StepShape): Promise<Ready> {
    const {
      device,
      model: { config },
    } = this.#options;
    const program = await programFor(device, name, { config, form: this.#weights.form }, { ...shape }, () =>
      stepPlan(config, this.#weights.lookup(), shape),
    );
    return {
      program,
      weights: Object.fromEntries(
        Object.entries(this.#weights.feeds).filter(([input]) => input in program.inputs),
      ),
    };
  }

  /** The program that samples `samples` tokens for each of `rows` rows. */
  async #sampler(samples: number, rows: number): Promise<Ready> {
    const { device, model } = this.#options;
    const { layout } = transformerOf(model.config);
    const flipped = !this.#packs && layout === 'out-in' && rows >= flippedFrom && rows <= flippedTo;
    const shape = { tokens: 1, samples, greedy: this.#greedy, flipped };
    const key = `${samples} ${flipped}`;
    const known = this.#samplers.get(key);
    if (known) return known;
    const packed = async (): Promise<Ready> => ({
      program: await packedProgram(
        await packedPrograms(device, model.parameters),
        device,
        model,
        `generate ${JSON.stringify(shape)}`,
        () => stepPlan(model.config, this.#weights.lookup(), shape),
      ),
      weights: {},
    });
    const made = await (this.#packs ? packed() : this.#fed('generate', shape));
    this.#samplers.set(key, made);
    return made;
  }

  async #tokensARun(): Promise<number> {
    const {
      device,
      model: { parameters },
    } = this.#options;
    return (await packedPrograms(device, parameters)).size > 0 ? atOnce : 1;
  }

  /** Samples one token for every row, or several for few rows, and returns the answers that end. */
  async advance(): Promise<void> {
    const most = (this.#most ??= await this.#tokensARun());
    const rows = this.#rows;
    const B = rows.length;
    const samples = rows.every(({ limit, made }) => limit - made.length >= most) ? most : 1;
    const { program, weights } = await this.#sampler(samples, B);
    const N = samples * B;
    const token = new Int32Array(B);
    const last = new Int32Array(B);
    const total = new Int32Array(1);
    const uniforms = new Float32Array(N);
    const inverseTemperature = new Float32Array(N);
    for (let slot = 0; slot < B; slot++) {
      const row = rows[slot];
      token[slot] = latest(row);
      last[slot] = row.length;
      total[0] = Math.max(total[0], row.length + 1);
      for (let t = 0; t < samples; t++) {
        inverseTemperature[t * B + slot] = this.#sharpness(row.made.length + t);
        if (!this.#greedy) uniforms[t * B + slot] = this.#uniform(row, row.made.length + t);
      }
    }
    const outputs = await program.run(
      {
        ...weights,
        ...this.#cache.feeds(0, B),
        token,
        last,
        total,
        inverseTemperature,
        ...(!this.#greedy && { uniforms }),
      },
      { B, N, P: this.#cache.places },
    );
    const next = ints(outputs, 'next');
    const logp = floats(outputs, 'logp');
    for (let slot = B - 1; slot >= 0; slot--) {
      const row = rows[slot];
      for (let t = 0; t < samples; t++) {
        const answer = advance(row, next[t * B + slot], logp[t * B + slot], this.#options.ends);
        row.length++;
        if (!answer) continue;
        this.#leave(slot, answer);
        break;
      }
    }
  }

  #leave(slot: number, answer: Answer): void {
    const row = this.#rows[slot];
    const mover = this.#rows.pop()!;
    this.answers[row.index] = answer;
    this.#uniforms.delete(row);
    if (mover === row) return;
    this.#cache.copy(this.#rows.length, slot, mover.length);
    this.#rows[slot] = mover;
  }

  /** The uniform of token `t` of a row's answer; must be called in order. */
  #uniform(row: PartialAnswer, t: number): number {
    const at = t % drawn;
    const uniforms = this.#uniforms.get(row) ?? new Float32Array(drawn);
    if (at === 0) {
      tokenUniforms(row.key, t, uniforms);
      this.#uniforms.set(row, uniforms);
    }
    return uniforms[at];
  }
}
