/** A model on a device: log-probabilities, scores and features of rows of any lengths. */
import { formOf, frozenBase, type FrozenBase } from '../../models/inputs.ts';
import { trainedOf, type Model } from '../../models/model.ts';
import type { ParameterSet } from '../../models/parameters.ts';
import { groupsOf } from '../../optim/index.ts';
import { pause } from '../../pace/index.ts';
import type { Device, Feeds, Program } from '../../runtime/index.ts';
import { valuesOf } from '../../runtime/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import { add, concat, input, logSoftmax, mean, mul, reshape, sub, type Expr } from '../../tensor/index.ts';
import { packFor } from './single-shape.ts';
import { eachRow, padded, shapeOf, type MicroBatch, type SharedPrefixes } from './packing.ts';
import type { ModelPort, Outlook, PerToken } from '../kernel/columns.ts';
import { withFrozenBase, groupFeeds, groupLookup } from './grouped.ts';
import { lastTokens, observedFeed } from './batch-feeds.ts';
import { modelGraph, symbolicModel, type ModelGraph, type RowInputs } from './model-graph.ts';
import { sharedPrefixes } from './shared-prefixes.ts';
import { lengthsOf, rowCount } from '../kernel/rows.ts';

/** Bound on the tokens of one pass without gradient. */
const PASS_TOKENS = 8192;
/**
 * Bound on the arithmetic of such a pass on the CPU, which blocks the event loop: one to two seconds of two
 * cores, so that cancellation is noticed. Passes of a model of 135 million parameters then have 550 tokens,
 * which are enough for its products to be as fast as with more.
 */
const PASS_FLOPS = 1.5e11;
/** Larger models release their session after each pass, since each would keep the memory of its values. */
const KEPT_PARAMETERS = 5e7;

const passTokens = (device: Device, parameters: number): number =>
  device.id === 'cpu'
    ? Math.min(PASS_TOKENS, Math.max(1, Math.floor(PASS_FLOPS / (2 * parameters))))
    : PASS_TOKENS;

/** log Σ exp of logits [N, V] → [N]: what every logit is above its log-probability. */
const logSumExp = (logits_NV: Expr): Expr => mean(sub(logits_NV, logSoftmax(logits_NV)), -1);

/** Quantities with a value per token, and those with a value per row. */
type TokenQuestion = 'logp' | 'logit' | 'entropy' | 'meanLogp' | 'values' | 'verdicts';
type RowQuestion = 'score' | 'features' | 'stepValues' | 'nextActions';
type Question = TokenQuestion | RowQuestion | 'states' | 'logpOf';

/**
 * Programs of one architecture on one device, shared by every model of that shape (a policy and its initial
 * version).
 */
export class RowPrograms {
  readonly device: Device;
  readonly graph: ModelGraph;
  readonly #programs = new Map<string, Program>();

  constructor(device: Device, graph: ModelGraph) {
    this.device = device;
    this.graph = graph;
  }

  async get(
    question: Question,
    temperature: number,
    { parameters, base }: Pick<LiveModel, 'parameters' | 'base'>,
    rect: MicroBatch,
    asked = 0,
  ): Promise<Program> {
    const { R, T, shared } = rect;
    const kind = `${question} ${asked > 0 ? `${asked} ` : ''}${temperature}${base ? ` ${formOf(base)} ${parameters.slots.length}` : ''}`;
    const key = `${kind} ${shapeOf(rect)}`;
    const known = this.#programs.get(key);
    if (known) return known;
    const lookup = withFrozenBase(base, groupLookup(groupsOf(parameters.slots), 'parameters'));
    const rows: RowInputs = {
      tokens: input('tokens', { dtype: 'int32', shape: [R, T] }),
      last: input('last', { dtype: 'int32', shape: [R] }),
      shared,
    };
    const each = (what: Exclude<TokenQuestion, 'logit'>) => () =>
      symbolicModel(this.graph, lookup, rows, temperature)[what](rows.tokens);
    const step = () => symbolicModel(this.graph, lookup, rows, temperature).step(rows.tokens);
    const answers: { readonly [Q in Question]: () => Expr } = {
      logp: each('logp'),
      logit: () => {
        const model = symbolicModel(this.graph, lookup, rows, temperature);
        return add(model.logp(rows.tokens), model.ofLogits(rows.tokens, logSumExp));
      },
      entropy: each('entropy'),
      meanLogp: each('meanLogp'),
      values: each('values'),
      verdicts: each('verdicts'),
      score: () => this.graph.score(lookup, rows.tokens, rows.last),
      states: () => this.graph.states(lookup, rows.tokens),
      logpOf: () =>
        this.graph.logpOf(lookup, rows.tokens, temperature, input('ids', { dtype: 'int32', shape: [asked] })),
      features: () => this.graph.features(lookup, rows.tokens, rows.last, shared),
      stepValues: () => {
        const view = step();
        return concat(
          view.values(view.action).map((value) => reshape(value, [R, 1])),
          1,
        );
      },
      nextActions: () => {
        const view = step();
        const { action, logp } = view.drawnAfter();
        return concat([action, reshape(mul(view.temperature(), logp), [R, 1])], 1);
      },
    };
    const program = await this.device.compile({ name: key, kind, outputs: { answer: answers[question]() } });
    this.#programs.set(key, program);
    return program;
  }

  /** The program of a network that acts on so many observations at once. */
  async acting(
    { parameters }: Pick<LiveModel, 'parameters'>,
    rows: number,
    temperature: number,
  ): Promise<Program> {
    const { act, observed = 0 } = this.graph;
    if (!act)
      throw new WhetstoneError('unsupported', 'A model on text cannot act in a control world.', {
        where: 'models.policy',
        hint: 'Choose a network.',
      });
    const key = `act ${rows} ${temperature}`;
    const known = this.#programs.get(key);
    if (known) return known;
    const lookup = groupLookup(groupsOf(parameters.slots), 'parameters');
    const observations = input('observed', { dtype: 'float32', shape: [rows, observed] });
    const outputs = act(lookup, observations, temperature);
    const program = await this.device.compile({ name: key, kind: 'act', outputs });
    this.#programs.set(key, program);
    return program;
  }
}

export class LiveModel {
  readonly programs: RowPrograms;
  readonly parameters: ParameterSet;
  readonly base: FrozenBase | undefined;
  readonly #feeds: Feeds;
  /** Number of parameters in a pass. */
  readonly #size: number;

  /** `parameters` are the whole model's, or those of an adapter on `base`; an empty set is the base alone. */
  constructor(programs: RowPrograms, parameters: ParameterSet, base?: FrozenBase) {
    this.programs = programs;
    this.parameters = parameters;
    this.base = base;
    this.#size = parameters.size + (base?.inputs.arrays ?? []).reduce((sum, { length }) => sum + length, 0);
    this.#feeds = {
      ...base?.inputs.feeds,
      ...groupFeeds(groupsOf(parameters.slots), 'parameters', parameters.flat),
    };
    programs.device.hold(parameters.flat);
    programs.device.freeze(...(base?.inputs.arrays ?? []));
  }

  /**
   * Log-probability of each token given those before it, at a temperature; 0 at the first token of a row.
   * With a mask it may also be 0 before the first token in the mask.
   */
  logp(
    tokens_RT: PerToken<Int32Array>,
    temperature: number,
    mask_RT?: PerToken<Uint8Array>,
  ): Promise<PerToken> {
    return this.each('logp', tokens_RT, temperature, mask_RT);
  }

  /**
   * A per-token quantity for all tokens, or with a mask from its first token on; only log-probabilities and
   * entropies take a mask.
   */
  async each(
    question: TokenQuestion,
    tokens_RT: PerToken<Int32Array>,
    temperature: number,
    mask_RT?: PerToken<Uint8Array>,
  ): Promise<PerToken> {
    const values = new Float32Array(tokens_RT.values.length);
    const take = (answer: Float32Array, rect: MicroBatch) =>
      eachRow(rect, (row, r) => {
        const [start, end] = [tokens_RT.offsets[row], tokens_RT.offsets[row + 1]];
        values.set(answer.subarray(r * rect.T, r * rect.T + end - start), start);
      });
    await this.#ask(
      question,
      temperature,
      tokens_RT,
      take,
      mask_RT && this.programs.graph.shares ? sharedPrefixes(tokens_RT, mask_RT) : undefined,
    );
    return { axis: 'T', values, offsets: tokens_RT.offsets };
  }

  /** The reward head's score of each row; R × K, row by row, for a head with K labels. */
  async scores(tokens_RT: PerToken<Int32Array>): Promise<Float64Array> {
    return (await this.perRow('score', tokens_RT)).values;
  }

  /**
   * R × D: the final hidden state of each row's last token. With a mask, a prompt is computed once for
   * several answers.
   */
  features(
    tokens_RT: PerToken<Int32Array>,
    mask_RT?: PerToken<Uint8Array>,
  ): Promise<{ values: Float64Array; width: number }> {
    return this.perRow('features', tokens_RT, mask_RT);
  }

  /**
   * Numbers of each row: `stepValues`, R × 2, both critics' values of what was done in rows of one step;
   * `nextActions`, R × (A + 1), what it would do after the step, and the log-density by the entropy's weight.
   */
  async perRow(
    question: RowQuestion,
    tokens_RT: PerToken<Int32Array>,
    mask_RT?: PerToken<Uint8Array>,
  ): Promise<{ values: Float64Array; width: number }> {
    const rows = rowCount(tokens_RT);
    const prefixes =
      mask_RT && answersBehind(sharedPrefixes(tokens_RT, mask_RT), tokens_RT, this.programs.graph.pad);
    let [values, width] = [new Float64Array(0), 0];
    await this.#ask(
      question,
      1,
      tokens_RT,
      (answer, rect) => {
        if (width === 0)
          [width, values] = [answer.length / rect.R, new Float64Array((rows * answer.length) / rect.R)];
        eachRow(rect, (row, r) => values.set(answer.subarray(r * width, (r + 1) * width), row * width));
      },
      prefixes,
    );
    return { values, width };
  }

  /** T × D: the final hidden state that predicts each token; 0 at the first token of a row. */
  states(tokens_RT: PerToken<Int32Array>): Promise<{ values: Float32Array; width: number }> {
    return this.#vectors('states', 1, tokens_RT);
  }

  /** T × K: log-probability of each of these tokens at each position; 0 at the first token of a row. */
  async logpOf(
    tokens_RT: PerToken<Int32Array>,
    temperature: number,
    ids_K: ArrayLike<number>,
  ): Promise<{ values: Float32Array; width: number }> {
    // padded to a power of two, so that few programs are compiled
    const asked = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(1, ids_K.length))));
    asked.set(ids_K);
    const { values, width } = await this.#vectors('logpOf', temperature, tokens_RT, asked);
    const K = ids_K.length;
    if (width === K) return { values, width };
    const kept = new Float32Array(tokens_RT.values.length * K);
    for (let t = 0; t < tokens_RT.values.length; t++)
      kept.set(values.subarray(t * width, t * width + K), t * K);
    return { values: kept, width: K };
  }

  async #vectors(
    question: 'states' | 'logpOf',
    temperature: number,
    tokens_RT: PerToken<Int32Array>,
    ids?: Int32Array,
  ): Promise<{ values: Float32Array; width: number }> {
    const width = ids ? ids.length : this.programs.graph.width;
    const values = new Float32Array(tokens_RT.values.length * width);
    const take = (answer: Float32Array, { R, T, rows }: MicroBatch) =>
      eachRow({ rows }, (row, r) => {
        const [start, end] = [tokens_RT.offsets[row], tokens_RT.offsets[row + 1]];
        const first = (r * answer.length) / R;
        if (T > 1) values.set(answer.subarray(first, first + (end - start - 1) * width), (start + 1) * width);
      });
    await this.#ask(question, temperature, tokens_RT, take, undefined, ids);
    return { values, width };
  }

  /**
   * A network's outputs for N observations [N × F]: logits over the temperature, N × V, and the
   * critic's value of the state. Throws `unsupported` for a model on text.
   */
  async act(observed_NF: Float32Array, rows: number, temperature: number): Promise<Outlook> {
    const program = await this.programs.acting(this, rows, temperature);
    const outputs = await program.run(readBy(program, { ...this.#feeds, observed: observed_NF }));
    const said = (name: string) => ({
      ...(name in outputs && { [name]: valuesOf(outputs, name, 'float32') }),
    });
    return {
      logits: valuesOf(outputs, 'logits', 'float32'),
      values: new Float32Array(0),
      ...said('values'),
      ...said('bonus'),
      ...said('features'),
      ...said('predicted'),
    };
  }

  /** The port for stages, at the role's temperature; `sample` generates with it. */
  port(temperature: number, { sample, text }: Pick<ModelPort, 'sample' | 'text'>): ModelPort {
    const each =
      (question: TokenQuestion) => (tokens_RT: PerToken<Int32Array>, mask_RT?: PerToken<Uint8Array>) =>
        this.each(question, tokens_RT, temperature, mask_RT);
    return {
      logp: each('logp'),
      entropy: each('entropy'),
      meanLogp: each('meanLogp'),
      values: each('values'),
      verdicts: each('verdicts'),
      states: (tokens_RT) => this.states(tokens_RT),
      logpOf: (tokens_RT, ids_K) => this.logpOf(tokens_RT, temperature, ids_K),
      scores: (tokens_RT) => this.scores(tokens_RT),
      features: (tokens_RT) => this.features(tokens_RT),
      stepValues: (tokens_RT) => this.perRow('stepValues', tokens_RT),
      nextActions: (tokens_RT) => this.perRow('nextActions', tokens_RT),
      act: (observed_NF, rows) => this.act(observed_NF, rows, temperature),
      sample,
      text,
    };
  }

  async #ask(
    question: Question,
    temperature: number,
    tokens_RT: PerToken<Int32Array>,
    take: (answer: Float32Array, rect: MicroBatch) => void,
    prefixes?: SharedPrefixes,
    ids?: Int32Array,
  ): Promise<void> {
    const {
      device,
      graph: { context, pad, multiple },
    } = this.programs;
    const kind = `${question} ${temperature} ${this.parameters.slots.length}`;
    const tokens = passTokens(device, this.#size);
    const rects = packFor({ device, kind, frozen: this.base !== undefined }, lengthsOf(tokens_RT), {
      unit: 1,
      tokens,
      context,
      ...(multiple && { multiple }),
      prefixes,
    });
    const all = rects.reduce((sum, { R, T }) => sum + R * T, 0);
    let done = 0;
    for (const [at, rect] of rects.entries()) {
      const program = await this.programs.get(question, temperature, this, rect, ids?.length);
      const fed = {
        ...this.#feeds,
        tokens: padded(tokens_RT, rect, Int32Array),
        last: lastTokens(tokens_RT, rect, pad),
        ...observedFeed(tokens_RT, rect, program.inputs),
        ...(ids && { ids }),
      };
      take(valuesOf(await program.run(readBy(program, fed)), 'answer', 'float32'), rect);
      if (
        this.#size > KEPT_PARAMETERS &&
        (at + 1 === rects.length || shapeOf(rects[at + 1]) !== shapeOf(rect))
      )
        await program.release();
      await pause((done += rect.R * rect.T) / all);
    }
  }
}

/** The feeds that a program reads: it may need no more than some of the parameters. */
const readBy = (program: Program, feeds: Feeds): Feeds =>
  Object.fromEntries(Object.entries(feeds).filter(([name]) => name in program.inputs));

/** Shared prefixes that leave out each row's last real token, whose state is needed. */
const answersBehind = (
  { prefixLength_R, prefixId_R }: SharedPrefixes,
  { values, offsets }: PerToken<Int32Array>,
  pad: number | null,
): SharedPrefixes => ({
  prefixId_R,
  prefixLength_R: prefixLength_R.map((length, r) => {
    let last = offsets[r + 1] - 1;
    while (last > offsets[r] && values[last] === pad) last--;
    return Math.min(length, last - offsets[r]);
  }),
});

/**
 * A model on a device, with its own programs. Throws `unsupported` for quantized matrices on devices other
 * than the CPU, which have no nodes for them.
 */
export const liveModel = (device: Device, model: Model): LiveModel => {
  if (model.quantized && device.id !== 'cpu')
    throw new WhetstoneError(
      'unsupported',
      `This model’s matrices are in ${model.quantized.format}, which is computed on the CPU only.`,
      { where: 'device', hint: 'Run on the CPU, or merge the adapter into its model and use that.' },
    );
  return new LiveModel(
    new RowPrograms(device, modelGraph(model.config)),
    trainedOf(model),
    frozenBase(model),
  );
};
