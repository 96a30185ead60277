/**
 * Log-probability and entropy of given next tokens from hidden states; full logits are made only if they are
 * small.
 */
import {
  add,
  exp,
  gather,
  logSoftmax,
  mean,
  mul,
  neg,
  scalar,
  sub,
  sum,
  tokenDistribution,
  tokenLogp,
  vocabularyEntropy,
  vocabularyLogp,
  type Expr,
} from '../../tensor/index.ts';
import { outputTableOf, logitsOf } from '../forward.ts';
import type { ModelConfig } from '../config.ts';
import type { Lookup } from '../symbols.ts';

/** hidden float32[N, D] and the target tokens int32[N]; log-probabilities are taken at `temperature`. */
export interface NextTokens {
  readonly hidden: Expr;
  readonly ids: Expr;
  readonly temperature: number;
}

/**
 * Largest number of logits made in full: 128 MB. Above, the vocabulary is processed in blocks, for a third
 * more work in the output layer.
 */
const MOST_LOGITS = 2 ** 25;

/**
 * The hidden states over the temperature and the output matrix, if the logits are too many to hold and are
 * exactly that product.
 */
const inBlocks = (
  config: ModelConfig,
  parameters: Lookup,
  { hidden, temperature }: NextTokens,
): { hidden: Expr; table: Expr } | null => {
  if (hidden.type.shape[0] * config.vocabulary <= MOST_LOGITS) return null;
  const table = outputTableOf(config, parameters);
  return table && { hidden: temperature === 1 ? hidden : mul(hidden, scalar(1 / temperature)), table };
};

const over = (logits: Expr, temperature: number): Expr =>
  temperature === 1 ? logits : mul(logits, scalar(1 / temperature));

/** log p(token) of logits [..., V] at a temperature: ids[...] → [...]. */
export const logpOfLogits = (logits: Expr, ids: Expr, temperature: number): Expr =>
  tokenLogp(over(logits, temperature), ids);

/** −Σ p log p of logits [..., V] at a temperature, in nats → [...]. */
export const entropyOfLogits = (logits: Expr, ids: Expr, temperature: number): Expr => {
  const { logp } = tokenDistribution(over(logits, temperature), ids);
  return neg(sum(mul(exp(logp), logp), -1));
};

/**
 * A number of each distribution from its logits [N, V] at the temperature → [N]. Makes all logits at once,
 * whatever their number.
 */
export const ofNextTokenLogits = (
  config: ModelConfig,
  parameters: Lookup,
  { hidden, temperature }: NextTokens,
  reduce: (logits_NV: Expr) => Expr,
): Expr => reduce(over(logitsOf(config, parameters, hidden), temperature));

/** log p(token) → [N]. */
export const nextTokenLogp = (config: ModelConfig, parameters: Lookup, next: NextTokens): Expr => {
  const blocks = inBlocks(config, parameters, next);
  return blocks
    ? vocabularyLogp(blocks.hidden, blocks.table, next.ids)
    : logpOfLogits(logitsOf(config, parameters, next.hidden), next.ids, next.temperature);
};

/**
 * Mean over the vocabulary of log p at each position → [N]: the mean logit minus the normalizer, which
 * follows from the given token's log p.
 */
export const nextTokenMeanLogp = (config: ModelConfig, parameters: Lookup, next: NextTokens): Expr => {
  const blocks = inBlocks(config, parameters, next);
  if (!blocks) return mean(logSoftmax(over(logitsOf(config, parameters, next.hidden), next.temperature)), -1);
  const { hidden, table } = blocks;
  const meanLogit = sum(mul(hidden, mean(table, 0, true)), -1);
  const logit = sum(mul(hidden, gather(table, next.ids)), -1);
  return add(sub(meanLogit, logit), vocabularyLogp(hidden, table, next.ids));
};

/** Entropy of the distribution that each token was drawn from → [N]. */
export const nextTokenEntropy = (config: ModelConfig, parameters: Lookup, next: NextTokens): Expr => {
  const blocks = inBlocks(config, parameters, next);
  return blocks
    ? vocabularyEntropy(blocks.hidden, blocks.table, next.ids).entropy
    : entropyOfLogits(logitsOf(config, parameters, next.hidden), next.ids, next.temperature);
};
