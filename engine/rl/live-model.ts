/** A model that can be asked: log-probabilities, scores and features of rows, whatever their lengths. */
import { formOf, frozenBase, type FrozenBase } from '../models/inputs.ts';
import { trainedOf, type Model } from '../models/model.ts';
import type { ParameterSet } from '../models/parameters.ts';
import { groupsOf } from '../optim/index.ts';
import type { Device, Feeds, Program } from '../runtime/index.ts';
import { valuesOf } from '../runtime/index.ts';
import { WhetstoneError } from '../schema/errors.ts';
import { input, type Expr } from '../tensor/index.ts';
import { cutFor } from './alike.ts';
import { eachRow, rectangle, shapeOf, type MicroBatch, type Openings } from './buckets.ts';
import type { ModelPort, PerToken } from './columns.ts';
import { besideBase, groupFeeds, groupLookup } from './grouped.ts';
import { lastTokens } from './learner.ts';
import { modelGraph, symbolicModel, type ModelGraph, type RowInputs } from './model-graph.ts';
import { openingsOf } from './openings.ts';
import { lengthsOf, rowCount } from './rows.ts';

/** Bound on the tokens that one pass without gradient computes. */
const PASS_TOKENS = 8192;

/** Questions with an answer for each token, and those with one for each row. */
type TokenQuestion = 'logp' | 'entropy' | 'meanLogp' | 'values' | 'verdicts';
type Question = TokenQuestion | 'score' | 'features';

/** Programs of one architecture on one device; every model of that shape (a policy and its initial version) shares them. */
export class RowPrograms {
  readonly device: Device;
  readonly graph: ModelGraph;
  readonly #programs = new Map<string, Program>();

  constructor(device: Device, graph: ModelGraph) {
    this.device = device;
    this.graph = graph;
  }

  async get(question: Question, temperature: number, { parameters, base }: Pick<LiveModel, 'parameters' | 'base'>, rect: MicroBatch): Promise<Program> {
    const { R, T, shared } = rect, kind = `${question} ${temperature}${base ? ` ${formOf(base)} ${parameters.slots.length}` : ''}`, key = `${kind} ${shapeOf(rect)}`;
    const known = this.#programs.get(key);
    if (known) return known;
    const lookup = besideBase(base, groupLookup(groupsOf(parameters.slots), 'parameters'));
    const rows: RowInputs = { tokens: input('tokens', { dtype: 'int32', shape: [R, T] }), last: input('last', { dtype: 'int32', shape: [R] }), shared };
    const each = (what: TokenQuestion) => () => symbolicModel(this.graph, lookup, rows, temperature)[what](rows.tokens);
    const answers: { readonly [Q in Question]: () => Expr } = {
      logp: each('logp'), entropy: each('entropy'), meanLogp: each('meanLogp'), values: each('values'), verdicts: each('verdicts'),
      score: () => this.graph.score(lookup, rows.tokens, rows.last),
      features: () => this.graph.features(lookup, rows.tokens, rows.last),
    };
    const program = await this.device.compile({ name: key, kind, outputs: { answer: answers[question]() } });
    this.#programs.set(key, program);
    return program;
  }
}

export class LiveModel {
  readonly programs: RowPrograms;
  readonly parameters: ParameterSet;
  readonly base: FrozenBase | undefined;
  readonly #feeds: Feeds;

  /** `parameters` are the whole model's, or those of an adapter beside `base`; none at all are the base as it is. */
  constructor(programs: RowPrograms, parameters: ParameterSet, base?: FrozenBase) {
    this.programs = programs;
    this.parameters = parameters;
    this.base = base;
    this.#feeds = { ...base?.inputs.feeds, ...groupFeeds(groupsOf(parameters.slots), 'parameters', parameters.flat) };
    programs.device.hold(parameters.flat);
    programs.device.freeze(...(base?.inputs.arrays ?? []));
  }

  /** Log-probability of each token given those before it, at a temperature; 0 at the first token of a row. With a mask it may also be 0 before the first token that this holds. */
  logp(tokens_RT: PerToken<Int32Array>, temperature: number, mask_RT?: PerToken<Uint8Array>): Promise<PerToken> {
    return this.each('logp', tokens_RT, temperature, mask_RT);
  }

  /** The answer to a question about every token, or, with a mask, about those from its first one on: only log-probabilities and entropies have one. */
  async each(question: TokenQuestion, tokens_RT: PerToken<Int32Array>, temperature: number, mask_RT?: PerToken<Uint8Array>): Promise<PerToken> {
    const values = new Float32Array(tokens_RT.values.length);
    const take = (answer: Float32Array, rect: MicroBatch) => eachRow(rect, (row, r) => {
      const [start, end] = [tokens_RT.offsets[row], tokens_RT.offsets[row + 1]];
      values.set(answer.subarray(r * rect.T, r * rect.T + end - start), start);
    });
    await this.#ask(question, temperature, tokens_RT, take, mask_RT && this.programs.graph.shares ? openingsOf(tokens_RT, mask_RT) : undefined);
    return { axis: 'T', values, offsets: tokens_RT.offsets };
  }

  /** The reward head's score of each row; R × K, row by row, of a head with K labels. */
  async scores(tokens_RT: PerToken<Int32Array>): Promise<Float64Array> {
    return (await this.#rows('score', tokens_RT)).values;
  }

  /** R × D: the final hidden state of each row's last token. */
  features(tokens_RT: PerToken<Int32Array>): Promise<{ values: Float64Array; width: number }> {
    return this.#rows('features', tokens_RT);
  }

  async #rows(question: 'score' | 'features', tokens_RT: PerToken<Int32Array>): Promise<{ values: Float64Array; width: number }> {
    const rows = rowCount(tokens_RT);
    let [values, width] = [new Float64Array(0), 0];
    await this.#ask(question, 1, tokens_RT, (answer, rect) => {
      if (width === 0) [width, values] = [answer.length / rect.R, new Float64Array((rows * answer.length) / rect.R)];
      eachRow(rect, (row, r) => values.set(answer.subarray(r * width, (r + 1) * width), row * width));
    });
    return { values, width };
  }

  /** The port that stages see, at the temperature of the role that asks; `sample` writes with it. */
  port(temperature: number, sample: ModelPort['sample']): ModelPort {
    const each = (question: TokenQuestion) => (tokens_RT: PerToken<Int32Array>, mask_RT?: PerToken<Uint8Array>) => this.each(question, tokens_RT, temperature, mask_RT);
    return {
      logp: each('logp'), entropy: each('entropy'), meanLogp: each('meanLogp'), values: each('values'),
      scores: (tokens_RT) => this.scores(tokens_RT), features: (tokens_RT) => this.features(tokens_RT), sample,
    };
  }

  async #ask(question: Question, temperature: number, tokens_RT: PerToken<Int32Array>, take: (answer: Float32Array, rect: MicroBatch) => void, openings?: Openings): Promise<void> {
    const { device } = this.programs, kind = `${question} ${temperature} ${this.parameters.slots.length}`;
    for (const rect of cutFor({ device, kind, frozen: this.base !== undefined }, lengthsOf(tokens_RT), { unit: 1, tokens: PASS_TOKENS, context: this.programs.graph.context, openings })) {
      const program = await this.programs.get(question, temperature, this, rect);
      const all = { ...this.#feeds, tokens: rectangle(tokens_RT, rect, Int32Array), last: lastTokens(tokens_RT, rect, this.programs.graph.pad) };
      const feeds = Object.fromEntries(Object.entries(all).filter(([name]) => name in program.inputs));
      take(valuesOf(await program.run(feeds), 'answer', 'float32'), rect);
    }
  }
}

/** A model to ask, with programs of its own. Throws `unsupported` for quantized matrices on another device than the CPU, which has no nodes for them. */
export const liveModel = (device: Device, model: Model): LiveModel => {
  if (model.quantized && device.id !== 'cpu') throw new WhetstoneError('unsupported', `This model’s matrices are in ${model.quantized.format}, which is computed on the CPU only.`, { where: 'device', hint: 'Run on the CPU, or merge the adapter into its model and use that.' });
  return new LiveModel(new RowPrograms(device, modelGraph(model.config)), trainedOf(model), frozenBase(model));
};
