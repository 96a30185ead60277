/** A model inside a graph, for objectives and inference: log-probabilities, entropies, scores. */
import {
  add,
  concat,
  full,
  gather,
  greater,
  input,
  iota,
  logSoftmax,
  mul,
  not,
  reshape,
  scalar,
  slice,
  stopGradient,
  sub,
  transpose,
  where,
  type Expr,
} from '../../tensor/index.ts';
import { forward, forwardShared, logitsOf, type PrefixGroups } from '../../models/forward.ts';
import {
  nextTokenEntropy,
  nextTokenLogp,
  nextTokenMeanLogp,
  ofNextTokenLogits,
} from '../../models/heads/next-token.ts';
import { rewardPerToken, rewardOf } from '../../models/heads/reward.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { ModelConfig, NetworkConfig } from '../../models/config.ts';
import { gaussianOf } from '../../models/families/network-numbers.ts';
import {
  actionNumbers,
  bonusOutputs,
  hasCritic,
  latentOf,
  networkStates,
  networkValues,
  readWidth,
  rowWidth,
} from '../../models/families/network.ts';
import { softWidth } from '../../models/soft-prompt.ts';
import type { Lookup } from '../../models/symbols.ts';
import { inputName } from '../../tensor/ops/source.ts';
import type { BonusView, ModelGraphView, StepView } from '../kernel/objective.ts';
import type { Latent } from '../../schema/model.ts';
import { observedInput } from './batch-feeds.ts';
import { bonusView } from './bonus-view.ts';
import { stepView } from './step-view.ts';

/**
 * Forward computations of a model; its parameters come from a `Lookup`. R rows of T tokens, V token ids, D
 * features.
 */
export interface ModelGraph {
  /** Distinguishes cached graphs. */
  readonly id: string;
  readonly context: number;
  /**
   * A reward is read at a row's last token other than this one, as in Transformers; null: at its last token.
   */
  readonly pad: number | null;
  /** True if outputs are log-probabilities of tokens alone, so that shared prefixes may be computed once. */
  readonly shares: boolean;
  /** Rows are padded to a multiple of so many tokens; absent: 8. */
  readonly multiple?: number;
  /**
   * Of a network: logits [N, V] over the temperature, or means and log deviations of numbers; a critic's
   * values [N], and what it says of bonuses; of observations, with what is read behind them [N, W].
   */
  act?(parameters: Lookup, reads_NW: Expr, temperature: number): { readonly [output: string]: Expr };
  /** Numbers that a network reads to act, and what is drawn for an episode, or for an answer. */
  readonly observed?: number;
  readonly latent?: Latent;
  /** Of a network that values bonuses. */
  bonus?(parameters: Lookup, tokens_RT: Expr, other: (name: string) => Lookup): BonusView;
  /** Of a network: rows of one step, whose actions are numbers. */
  step?(parameters: Lookup, tokens_RT: Expr, other: (name: string) => Lookup): StepView;
  /** [R, T − 1 − Q]: entry t belongs to token Q + t + 1, which it predicts; Q is the shared prefix, or 0. */
  logp(parameters: Lookup, tokens_RT: Expr, temperature: number, shared?: PrefixGroups): Expr;
  /** The same shape: entropy of the distribution of token Q + t + 1. */
  entropy(parameters: Lookup, tokens_RT: Expr, temperature: number, shared?: PrefixGroups): Expr;
  /** The same distributions' mean log-probability over the vocabulary. */
  meanLogp(parameters: Lookup, tokens_RT: Expr, temperature: number, shared?: PrefixGroups): Expr;
  /** A function of the distributions' logits at the temperature, [N, V] → [N], in the same shape. */
  ofLogits(
    parameters: Lookup,
    tokens_RT: Expr,
    temperature: number,
    reduce: (logits_NV: Expr) => Expr,
    shared?: PrefixGroups,
  ): Expr;
  /** Width D of embeddings and hidden states. */
  readonly width: number;
  /** [R, T − 1]: `logp` where shift [R, T, D] is added to the embeddings. */
  shiftedLogp(parameters: Lookup, tokens_RT: Expr, temperature: number, shift_RTD: Expr): Expr;
  /** [R, T − 1, D]: the final hidden states that predict tokens 1 … T − 1. */
  states(parameters: Lookup, tokens_RT: Expr): Expr;
  /** [R, T − 1, K]: their log-probabilities of the tokens ids [K]. */
  logpOf(parameters: Lookup, tokens_RT: Expr, temperature: number, ids_K: Expr): Expr;
  /** [R, T]: the reward head's output after each token. */
  verdicts(parameters: Lookup, tokens_RT: Expr): Expr;
  /**
   * [R] (or [R, K] for K labels) and [R, D]: the reward head's score, and the final hidden state, of each
   * row's last token. Features support shared prefixes.
   */
  score(parameters: Lookup, tokens_RT: Expr, last_R: Expr): Expr;
  features(parameters: Lookup, tokens_RT: Expr, last_R: Expr, shared?: PrefixGroups): Expr;
}

const lastRows = (tokens_RT: Expr, last_R: Expr): Expr => {
  const [R, T] = tokens_RT.type.shape;
  return add(last_R, mul(iota(R), scalar(T, 'int32')));
};

/** Inputs of a network after each token, as a separate graph input: [R·T, W]. */
const observedOf = (config: NetworkConfig, tokens_RT: Expr): Expr => {
  const [R, T] = tokens_RT.type.shape;
  const width = rowWidth(config);
  const rows = reshape(rowsOf(config, tokens_RT), [R * T, width]);
  const reads = readWidth(config);
  return width === reads ? rows : slice(rows, 1, 0, reads);
};

/** All numbers behind each token, a graph input of its own: [R, T, W]. */
const rowsOf = (config: NetworkConfig, tokens_RT: Expr): Expr => behind(tokens_RT, rowWidth(config));

const behind = (tokens_RT: Expr, width: number): Expr => {
  const [R, T] = tokens_RT.type.shape;
  const name = inputName(tokens_RT);
  if (name === undefined)
    throw new WhetstoneError(
      'internal',
      'What is behind tokens is read of rows that are an input of the graph.',
    );
  return input(observedInput(name), { dtype: 'float32', shape: [R, T, width] });
};

/**
 * The direction of each row of a model on text with a soft prompt, [R, size], from behind its first token.
 */
const directionsOf = (config: ModelConfig, tokens_RT: Expr): { readonly directions?: Expr } => {
  const size = softWidth(config);
  if (size === 0) return {};
  const first = slice(behind(tokens_RT, size), 1, 0, 1);
  return { directions: reshape(first, [tokens_RT.type.shape[0], size]) };
};

/** A network's outputs for actions: [N, F] → [N, V]. */
const outputsOf = (
  config: NetworkConfig,
  parameters: Lookup,
  observed_NF: Expr,
  temperature: number,
): Expr => {
  if (actionNumbers(config) > 0) {
    const { mean, logDeviation } = gaussianOf(config, parameters, observed_NF);
    return concat([mean, logDeviation], 1);
  }
  const logits = logitsOf(config, parameters, networkStates(config, parameters, observed_NF));
  return mul(logits, scalar(1 / temperature));
};

export const modelGraph = (config: ModelConfig): ModelGraph => {
  const isNetwork = config.family === 'network';
  const hidden = (parameters: Lookup, tokens: Expr) =>
    isNetwork
      ? networkStates(config, parameters, observedOf(config, tokens))
      : forward({ config, parameters, tokens, ...directionsOf(config, tokens) });
  /**
   * Hidden states of all tokens that predict another, after the shared prefix. The last token predicts none
   * and is left out if there is a shared prefix.
   */
  const states = (parameters: Lookup, tokens: Expr, shared?: PrefixGroups): Expr => {
    const [R, T] = tokens.type.shape;
    if (shared) return forwardShared({ config, parameters, tokens: slice(tokens, 1, 0, T - 1) }, shared);
    return reshape(slice(reshape(hidden(parameters, tokens), [R, T, config.width]), 1, 0, T - 1), [
      R * (T - 1),
      config.width,
    ]);
  };
  const ofNext =
    (what: typeof nextTokenLogp): ModelGraph['logp'] =>
    (parameters, tokens, temperature, shared) => {
      const [R, T] = tokens.type.shape;
      const Q = shared?.prefix ?? 0;
      const U = T - 1 - Q;
      return reshape(
        what(config, parameters, {
          hidden: states(parameters, tokens, shared),
          ids: reshape(slice(tokens, 1, Q + 1, T), [R * U]),
          temperature,
        }),
        [R, U],
      );
    };
  return {
    id: JSON.stringify(config),
    context: config.context,
    pad: config.head === 'reward' ? config.pad : null,
    shares: config.head === 'next-token' && !isNetwork && softWidth(config) === 0,
    ...(config.softPrompt && { latent: { kind: 'sphere', size: config.softPrompt.size } as const }),
    ...(isNetwork && {
      multiple: 1,
      observed: readWidth(config),
      latent: latentOf(config),
      act: (parameters: Lookup, observed: Expr, temperature: number) => ({
        logits: outputsOf(config, parameters, observed, temperature),
        ...(hasCritic(config) && { values: networkValues(config, parameters, observed) }),
        ...bonusOutputs(config, parameters, observed),
      }),
      bonus: (parameters: Lookup, tokens: Expr, other: (name: string) => Lookup) =>
        bonusView(config, parameters, observedOf(config, tokens), tokens.type.shape, other),
      step: (parameters: Lookup, tokens: Expr, other: (name: string) => Lookup) =>
        stepView(config, parameters, rowsOf(config, tokens), other),
    }),
    logp: ofNext(nextTokenLogp),
    entropy: ofNext(nextTokenEntropy),
    meanLogp: ofNext(nextTokenMeanLogp),
    ofLogits: (parameters, tokens, temperature, reduce, shared) =>
      ofNext((...next) => ofNextTokenLogits(...next, reduce))(parameters, tokens, temperature, shared),
    width: config.width,
    shiftedLogp: (parameters, tokens, temperature, shift) => {
      const [R, T] = tokens.type.shape;
      const moved = forward({ config, parameters, tokens, shift, ...directionsOf(config, tokens) });
      const before = slice(reshape(moved, [R, T, config.width]), 1, 0, T - 1);
      const hiddenStates = reshape(before, [R * (T - 1), config.width]);
      const ids = reshape(slice(tokens, 1, 1, T), [R * (T - 1)]);
      return reshape(nextTokenLogp(config, parameters, { hidden: hiddenStates, ids, temperature }), [
        R,
        T - 1,
      ]);
    },
    states: (parameters, tokens) => {
      const [R, T] = tokens.type.shape;
      return reshape(states(parameters, tokens), [R, T - 1, config.width]);
    },
    logpOf: (parameters, tokens, temperature, ids) => {
      const [R, T] = tokens.type.shape;
      const logits = logitsOf(config, parameters, states(parameters, tokens));
      const logp = logSoftmax(mul(logits, scalar(1 / temperature)));
      const found = transpose(gather(transpose(logp, [1, 0]), ids), [1, 0]);
      return reshape(found, [R, T - 1, ids.type.shape[0]]);
    },
    verdicts: (parameters, tokens) =>
      reshape(
        isNetwork
          ? networkValues(config, parameters, observedOf(config, tokens))
          : rewardPerToken(parameters, hidden(parameters, tokens)),
        tokens.type.shape,
      ),
    score: (parameters, tokens, last) =>
      rewardOf(parameters, hidden(parameters, tokens), lastRows(tokens, last)),
    features: (parameters, tokens, last, shared) => {
      if (!shared) return gather(hidden(parameters, tokens), lastRows(tokens, last));
      const [R, T] = tokens.type.shape;
      const behind = T - shared.prefix;
      // the row of a sequence begins after the shared prefix
      const at = add(sub(last, scalar(shared.prefix, 'int32')), mul(iota(R), scalar(behind, 'int32')));
      return gather(forwardShared({ config, parameters, tokens }, shared), at);
    },
  };
};

const unknownModel = (name: string): never => {
  throw new WhetstoneError('internal', `The objective reads the model '${name}', which it does not name.`);
};

const noSteps = (): never => {
  throw new WhetstoneError('unsupported', 'A model on text does not act by numbers.', {
    where: 'models.policy',
    hint: 'Choose a network.',
  });
};

/** Graph inputs for rows of tokens: the tokens, and the end of each row. Both are padded. */
export interface RowInputs {
  readonly tokens: Expr;
  readonly last: Expr;
  readonly shared?: PrefixGroups;
}

/** Another model whose distributions an objective reads. */
export interface OtherModel {
  readonly graph: ModelGraph;
  readonly parameters: Lookup;
}

/**
 * A model on the rows of one micro-batch. Log-probabilities are taken at `temperature`, and are 0 at the
 * first token, up to the first one after a shared prefix, and on padding; a head's outputs there belong to
 * padding tokens. Objectives turn both into finite numbers, which weight 0 removes.
 */
export const symbolicModel = (
  graph: ModelGraph,
  parameters: Lookup,
  { tokens, last, shared }: RowInputs,
  temperature: number,
  other: (name: string) => OtherModel = unknownModel,
): ModelGraphView => {
  const [R, T] = tokens.type.shape;
  // the position of the predicted token, against the last real one
  const real = not(greater(reshape(iota(T), [1, T]), reshape(last, [R, 1])));
  const placed = (values: Expr): Expr =>
    where(real, concat([full(0, [R, T - values.type.shape[1]]), values], 1), scalar(0));
  return {
    logp: () => placed(graph.logp(parameters, tokens, temperature, shared)),
    entropy: () => placed(graph.entropy(parameters, tokens, temperature, shared)),
    meanLogp: () => placed(graph.meanLogp(parameters, tokens, temperature, shared)),
    ofLogits: (_, reduce) => placed(graph.ofLogits(parameters, tokens, temperature, reduce, shared)),
    against: (name, _, reduce) => {
      const { graph: theirs, parameters: fixed } = other(name);
      const both = (own: Expr) =>
        reshape(
          theirs.ofLogits(fixed, tokens, temperature, (logits) => reduce(own, stopGradient(logits)), shared),
          [own.type.shape[0]],
        );
      return placed(graph.ofLogits(parameters, tokens, temperature, both, shared));
    },
    width: graph.width,
    shiftedLogp: (_, shift) => placed(graph.shiftedLogp(parameters, tokens, temperature, shift)),
    // not limited to `last`: a head's last token is the last one that is not padding, and an answer may end
    // with a token that also pads
    values: () => concat([full(0, [R, 1]), slice(graph.verdicts(parameters, tokens), 1, 0, T - 1)], 1),
    verdicts: () => graph.verdicts(parameters, tokens),
    score: () => graph.score(parameters, tokens, last),
    features: () => graph.features(parameters, tokens, last, shared),
    bonus: () => (graph.bonus ?? noSteps)(parameters, tokens, (name) => other(name).parameters),
    step: () => (graph.step ?? noSteps)(parameters, tokens, (name) => other(name).parameters),
  };
};
