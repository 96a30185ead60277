/** One model's reading of the rows in flight: its fed weights and its KV cache. */
import { floats, type ModelDevice, type ModelFeeds, type ModelProgram } from '../device.ts';
import { transformerOf } from '../families/index.ts';
import { inputsOf, type ModelInputs } from '../inputs.ts';
import type { Model } from '../model.ts';
import { programFor, quarterBucket } from '../programs.ts';
import { directionFeed, softWidth } from '../soft-prompt.ts';
import { RowCache } from './row-cache.ts';
import type { PartialAnswer } from './rows.ts';
import { stepPlan, type StepShape } from './step-graphs.ts';

/** A program, and the weights that it must be fed. */
export interface Ready {
  readonly program: ModelProgram;
  readonly weights: ModelFeeds;
}

/** Tokens of a pass that prefills these rows, in models with at most this context. */
export const readLength = (rows: readonly PartialAnswer[], context: number): number =>
  Math.min(quarterBucket(Math.max(0, ...rows.map(({ length }) => length)), 16), context);

/** Bytes of the keys and values of one row. */
export const rowBytes = ({ config }: Model, places: number): number => {
  const { kvHeads, size } = transformerOf(config);
  return 2 * Float32Array.BYTES_PER_ELEMENT * config.layers * kvHeads * size * places;
};

export class Track {
  readonly model: Model;
  readonly weights: ModelInputs;
  readonly cache: RowCache;
  readonly #device: ModelDevice;

  constructor(
    device: ModelDevice,
    model: Model,
    { slots, places }: { readonly slots: number; readonly places: number },
  ) {
    this.#device = device;
    this.model = model;
    this.weights = inputsOf(model);
    device.hold(...this.weights.arrays);
    const { kvHeads, size } = transformerOf(model.config);
    this.cache = new RowCache({ layers: model.config.layers, heads: kvHeads, size, slots, places });
  }

  /** A program with fed weights. */
  async fed(name: string, shape: StepShape): Promise<Ready> {
    const { config } = this.model;
    const { form, feeds } = this.weights;
    const program = await programFor(this.#device, name, { config, form }, { ...shape }, () =>
      stepPlan(config, this.weights.lookup(), shape),
    );
    return {
      program,
      weights: Object.fromEntries(Object.entries(feeds).filter(([input]) => input in program.inputs)),
    };
  }

  /** Prefills prompts (all but their last token), `tokens` places each, into the slots from `start` on. */
  async read(
    rows: readonly PartialAnswer[],
    { start, tokens, greedy }: { readonly start: number; readonly tokens: number; readonly greedy: boolean },
  ): Promise<void> {
    const B = rows.length;
    const N = B * tokens;
    const { program, weights } = await this.fed('read prompts', {
      tokens,
      samples: 0,
      greedy,
      flipped: false,
    });
    const token = new Int32Array(N);
    rows.forEach(({ prompt, length }, b) => {
      token.set(prompt.subarray(0, length), b * tokens);
    });
    await program.run(
      {
        ...weights,
        ...this.cache.feeds(start, B),
        ...('directions' in program.inputs && {
          directions: directionFeed(rows, softWidth(this.model.config)),
        }),
        token,
        position: Int32Array.from(token, (_, at) => at % tokens),
        last: Int32Array.from(rows, ({ length }) => Math.max(0, length - 1)),
        total: Int32Array.of(tokens),
      },
      { B, N, P: this.cache.places },
    );
  }

  /** Reads one more token of each of the first rows; returns its logits [rows, V]. */
  async logits(at: {
    readonly token: Int32Array;
    readonly last: Int32Array;
    readonly total: Int32Array;
  }): Promise<Float32Array> {
    const B = at.token.length;
    const { program, weights } = await this.fed('guide', {
      tokens: 1,
      samples: 1,
      greedy: true,
      flipped: false,
      onlyLogits: true,
    });
    const outputs = await program.run(
      { ...weights, ...this.cache.feeds(0, B), ...at },
      { B, N: B, P: this.cache.places },
    );
    return floats(outputs, 'logits');
  }
}
