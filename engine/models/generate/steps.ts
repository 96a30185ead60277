import { tokenUniforms } from '../../random/random.ts';
import { floats, ints } from '../device.ts';
import { transformerOf } from '../families/index.ts';
import { biasOf } from './bias.ts';
import { boundFeeds } from './caps.ts';
import type { Filters } from './filters.ts';
import { packedProgram, packedPrograms, worthPacking } from './packed.ts';
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
import { steeringFeeds } from './steering.ts';
import { stepPlan } from './step-graphs.ts';
import { readLength, rowBytes, Track, type Ready } from './track.ts';

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

/**
 * Generates answers one token per run (with few rows: several), all rows at once, into a KV cache that grows
 * in place. The rows fill its front: the last one moves into the slot of one that ends.
 */
export class StepGenerator {
  readonly answers: Answer[] = [];
  readonly #options: GenerateOptions;
  readonly #greedy: boolean;
  readonly #sharpness: (t: number) => number;
  readonly #filters: Filters;
  readonly #biased: boolean;
  readonly #waiting: PartialAnswer[];
  readonly #rows: PartialAnswer[] = [];
  readonly #uniforms = new Map<PartialAnswer, Float32Array>();
  readonly #own: Track;
  /** The reading of a second model, if one guides. */
  readonly #guide: Track | undefined;
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
    this.#filters = filtersOf(options);
    this.#biased = isBiased(options);
    this.#waiting = waitingRows(options);
    // a frozen model is in memory only once
    this.#packs =
      !adapter &&
      !quantized &&
      !options.steering &&
      worthPacking(parameters, Math.min(options.maxTokens, config.context));
    if (!this.#packs || isHooked(options) || this.#waiting.length > fewRows) this.#most = 1;
    const most = (length: (row: PartialAnswer) => number) => Math.max(1, ...this.#waiting.map(length));
    const places = Math.max(
      most(({ prompt, limit }) => prompt.length + limit - 1),
      this.#readLength(this.#waiting),
    );
    const models = [options.model, ...(options.guidance ? [options.guidance.model] : [])];
    const bytes = models.reduce((total, model) => total + rowBytes(model, places), 0);
    const slots = Math.max(1, Math.min(mostRows, this.#waiting.length, Math.floor(cacheBytes / bytes)));
    const [own, guide] = models.map((model) => new Track(device, model, { slots, places }));
    this.#own = own;
    this.#guide = guide;
  }

  get done(): boolean {
    return this.#waiting.length === 0 && this.#rows.length === 0;
  }

  /** Progress, 0–1. */
  get share(): number {
    return shareWritten(this.#waiting, this.#rows, this.#options.rows);
  }

  get #tracks(): Track[] {
    return this.#guide ? [this.#own, this.#guide] : [this.#own];
  }

  /** Tokens of a pass that prefills these rows. */
  #readLength(rows: readonly PartialAnswer[]): number {
    const { model, guidance } = this.#options;
    return readLength(rows, Math.min(model.config.context, guidance?.model.config.context ?? Infinity));
  }

  /**
   * Admits waiting rows as soon as a few have room, and prefills them together. Equal prompts are computed
   * once.
   */
  async admit(): Promise<void> {
    const { slots } = this.#own.cache;
    const free = slots - this.#rows.length;
    if (
      this.#waiting.length === 0 ||
      (this.#rows.length > 0 && free < Math.min(this.#waiting.length, slots / 8))
    )
      return;
    const joining = this.#waiting.splice(0, free);
    const groups = [...Map.groupBy(joining, readText).values()];
    const first = this.#rows.length;
    const firsts = groups.map(([row]) => row).sort((a, b) => b.length - a.length);
    this.#rows.push(...firsts);
    const atOnce = Math.max(1, Math.floor(mostRead / this.#readLength(joining)));
    for (let at = 0; at < firsts.length; at += atOnce)
      await this.#read(firsts.slice(at, at + atOnce), first + at);
    for (const [one, ...others] of groups)
      for (const row of others) {
        for (const { cache } of this.#tracks)
          cache.copy(this.#rows.indexOf(one, first), this.#rows.length, row.length);
        this.#rows.push(row);
      }
  }

  /** Prefills prompts (all but their last token) into the slots from `start` on. */
  async #read(rows: readonly PartialAnswer[], start: number): Promise<void> {
    if (rows.every(({ length }) => length === 0)) return;
    const tokens = this.#readLength(rows);
    for (const track of this.#tracks) await track.read(rows, { start, tokens, greedy: this.#greedy });
  }

  /** The program that samples `samples` tokens for each of `rows` rows. */
  async #sampler(samples: number, rows: number): Promise<Ready> {
    const { device, model } = this.#options;
    const { layout } = transformerOf(model.config);
    const flipped = !this.#packs && layout === 'out-in' && rows >= flippedFrom && rows <= flippedTo;
    const shape = {
      tokens: 1,
      samples,
      greedy: this.#greedy,
      flipped,
      ...this.#filters,
      ...(this.#biased && { biased: true }),
      ...(this.#options.guidance?.cap !== undefined && { capped: true }),
      ...(this.#options.guidance?.nucleus !== undefined && { fenced: true }),
      ...(this.#options.steering && { steered: this.#options.steering.layer }),
    };
    const key = `${samples} ${flipped}`;
    const known = this.#samplers.get(key);
    if (known) return known;
    const packed = async (): Promise<Ready> => ({
      program: await packedProgram(
        await packedPrograms(device, model.parameters),
        device,
        model,
        `generate ${JSON.stringify(shape)}`,
        () => stepPlan(model.config, this.#own.weights.lookup(), shape),
      ),
      weights: {},
    });
    const made = await (this.#packs ? packed() : this.#own.fed('generate', shape));
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
    const ownShare = this.#options.guidance?.own ?? 1;
    for (let slot = 0; slot < B; slot++) {
      const row = rows[slot];
      token[slot] = latest(row);
      last[slot] = row.length;
      total[0] = Math.max(total[0], row.length + 1);
      for (let t = 0; t < samples; t++) {
        inverseTemperature[t * B + slot] = ownShare * this.#sharpness(row.made.length + t);
        if (!this.#greedy) uniforms[t * B + slot] = this.#uniform(row, row.made.length + t);
      }
    }
    const theirs = await this.#guide?.logits({ token, last, total });
    const { guidance } = this.#options;
    const bounds =
      guidance && theirs
        ? boundFeeds(
            guidance,
            theirs,
            rows.map((row) => this.#sharpness(row.made.length)),
          )
        : {};
    const outputs = await program.run(
      {
        ...weights,
        ...this.#own.cache.feeds(0, B),
        token,
        last,
        total,
        inverseTemperature,
        ...(!this.#greedy && { uniforms }),
        ...(this.#options.steering && steeringFeeds(this.#options.steering, rows)),
        ...bounds,
        ...(this.#biased && { bias: this.#bias(theirs) }),
      },
      { B, N, P: this.#own.cache.places },
    );
    this.#harvest(samples, {
      next: ints(outputs, 'next'),
      logp: floats(outputs, 'logp'),
      dropped: 'dropped' in outputs ? floats(outputs, 'dropped') : undefined,
    });
  }

  /** What hooks and the second model add to the logits of each row's next token. */
  #bias(theirs: Float32Array | undefined): Float32Array {
    return biasOf(this.#options, this.#rows, (row) => this.#sharpness(row.made.length), theirs);
  }

  /** Adds `samples` tokens to each row; those that end leave. */
  #harvest(
    samples: number,
    { next, logp, dropped }: { next: Int32Array; logp: Float32Array; dropped: Float32Array | undefined },
  ): void {
    const rows = this.#rows;
    const B = rows.length;
    for (let slot = B - 1; slot >= 0; slot--) {
      const row = rows[slot];
      for (let t = 0; t < samples; t++) {
        const at = t * B + slot;
        const answer = advance(row, next[at], logp[at], this.#options.ends, dropped?.[at]);
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
    for (const { cache } of this.#tracks) cache.copy(this.#rows.length, slot, mover.length);
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
