/** A model inside a graph, as objectives and probes see it: log-probabilities, entropies, scores. */
import {
  add,
  concat,
  full,
  gather,
  greater,
  iota,
  mul,
  not,
  reshape,
  scalar,
  slice,
  sub,
  where,
  type Expr,
} from '../../tensor/index.ts';
import { forward, forwardShared, type Shared } from '../../models/forward.ts';
import { nextTokenEntropy, nextTokenLogp, nextTokenMeanLogp } from '../../models/heads/next-token.ts';
import { everyReward, rewardOf } from '../../models/heads/reward.ts';
import type { ModelConfig } from '../../models/config.ts';
import type { Lookup } from '../../models/symbols.ts';
import type { ModelGraphView } from '../kernel/objective.ts';

/** How a model computes; its parameters come from a `Lookup`. R rows of T tokens, V token ids, D features. */
export interface ModelGraph {
  /** Tells graphs apart when they are cached. */
  readonly id: string;
  readonly context: number;
  /**
   * A reward is read at a row's last token that is not this one, as Transformers does; null: at its last
   * token.
   */
  readonly pad: number | null;
  /**
   * Whether log-probabilities are what it is asked for, so that beginnings which rows share may be left out
   * of them.
   */
  readonly shares: boolean;
  /** [R, T − 1 − Q]: entry t is of token Q + t + 1, which it predicts; Q is the shared prefix, or 0. */
  logp(parameters: Lookup, tokens_RT: Expr, temperature: number, shared?: Shared): Expr;
  /** The same shape: entry t is of the distribution of token Q + t + 1. */
  entropy(parameters: Lookup, tokens_RT: Expr, temperature: number, shared?: Shared): Expr;
  /** The same distributions' mean log-probability over the vocabulary. */
  meanLogp(parameters: Lookup, tokens_RT: Expr, temperature: number, shared?: Shared): Expr;
  /** [R, T]: the reward head's number once each token has been read. */
  verdicts(parameters: Lookup, tokens_RT: Expr): Expr;
  /**
   * [R] (or [R, K] of K labels) and [R, D]: the reward head's score, and the final hidden state, of each
   * row's last token. That of features lies behind what is shared.
   */
  score(parameters: Lookup, tokens_RT: Expr, last_R: Expr): Expr;
  features(parameters: Lookup, tokens_RT: Expr, last_R: Expr, shared?: Shared): Expr;
}

const lastRows = (tokens_RT: Expr, last_R: Expr): Expr => {
  const [R, T] = tokens_RT.type.shape;
  return add(last_R, mul(iota(R), scalar(T, 'int32')));
};

export const modelGraph = (config: ModelConfig): ModelGraph => {
  const hidden = (parameters: Lookup, tokens: Expr) => forward({ config, parameters, tokens });
  /**
   * Hidden states of all tokens that predict another, behind what is shared. The last one predicts none: it
   * is not computed beside a shared beginning.
   */
  const states = (parameters: Lookup, tokens: Expr, shared?: Shared): Expr => {
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
    shares: config.head === 'next-token',
    logp: ofNext(nextTokenLogp),
    entropy: ofNext(nextTokenEntropy),
    meanLogp: ofNext(nextTokenMeanLogp),
    verdicts: (parameters, tokens) =>
      reshape(everyReward(parameters, hidden(parameters, tokens)), tokens.type.shape),
    score: (parameters, tokens, last) =>
      rewardOf(parameters, hidden(parameters, tokens), lastRows(tokens, last)),
    features: (parameters, tokens, last, shared) => {
      if (!shared) return gather(hidden(parameters, tokens), lastRows(tokens, last));
      const [R, T] = tokens.type.shape;
      const behind = T - shared.prefix;
      // the row of a sequence begins behind what is shared
      const at = add(sub(last, scalar(shared.prefix, 'int32')), mul(iota(R), scalar(behind, 'int32')));
      return gather(forwardShared({ config, parameters, tokens }, shared), at);
    },
  };
};

/**
 * What a graph over rows of tokens is fed: the tokens, and where each row ends. Both carry a padded
 * rectangle.
 */
export interface RowInputs {
  readonly tokens: Expr;
  readonly last: Expr;
  readonly shared?: Shared;
}

/**
 * A model over the rows of one rectangle. Log-probabilities are taken at `temperature`, and are 0 at the
 * first token, up to the first one behind a shared beginning, and on padding; a head's numbers there are of
 * padding tokens. What an objective makes of either is finite, and weight 0 removes it.
 */
export const symbolicModel = (
  graph: ModelGraph,
  parameters: Lookup,
  { tokens, last, shared }: RowInputs,
  temperature: number,
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
    // these two not only up to `last`: a head's last token is the last that is no padding, and an answer may
    // end with a token that also pads
    values: () => concat([full(0, [R, 1]), slice(graph.verdicts(parameters, tokens), 1, 0, T - 1)], 1),
    verdicts: () => graph.verdicts(parameters, tokens),
    score: () => graph.score(parameters, tokens, last),
  };
};
