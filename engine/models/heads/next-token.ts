import { exp, mul, neg, sum, tokenDistribution, tokenLogp, type Expr } from '../../tensor/index.ts';
import { logitsOf } from '../gpt2.ts';
import type { Lookup } from '../symbols.ts';

/**
 * Log-probability of one token per hidden state: hidden [N, D], targets int32[N] → [N]. The hidden state of position t predicts token
 * t + 1, so callers feed the tokens shifted by one.
 */
export const nextTokenLogp = (parameters: Lookup, hidden: Expr, targets: Expr): Expr => tokenLogp(logitsOf(parameters, hidden), targets);

/** The same, with the entropy of each whole distribution in nats: both [N]. */
export const nextTokenLogpAndEntropy = (parameters: Lookup, hidden: Expr, targets: Expr): { logp: Expr; entropy: Expr } => {
  const { picked, logp } = tokenDistribution(logitsOf(parameters, hidden), targets);
  return { logp: picked, entropy: neg(sum(mul(exp(logp), logp), -1)) };
};
