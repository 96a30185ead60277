/** Truncation of a distribution over tokens before a draw: top-k, top-p and min-p. */
import {
  add,
  cast,
  exp,
  greater,
  less,
  loop,
  max,
  mul,
  not,
  reshape,
  sub,
  sum,
  where,
  scalar,
  type Expr,
} from '../../tensor/index.ts';
import { masked } from '../blocks/attention.ts';

/**
 * Which tokens may be drawn, applied in this order: the `topK` likeliest; of the rest, renormalized, the
 * fewest likeliest whose probabilities sum to `topP` or more; those with at least `minP` of the largest
 * probability. Equally likely tokens are kept or dropped together, so that the kept set depends on the
 * probabilities alone.
 */
export interface Filters {
  readonly topK?: number;
  readonly topP?: number;
  readonly minP?: number;
}

/** The filters that drop anything: a share of 1 or a bound of 0 keeps all tokens. */
export const activeFilters = ({ topK, topP, minP }: Filters): Filters => ({
  ...(topK !== undefined && { topK }),
  ...(topP !== undefined && topP < 1 && { topP }),
  ...(minP !== undefined && minP > 0 && { minP }),
});

/** True if any token may be dropped. */
export const truncates = (filters: Filters | undefined): boolean =>
  filters !== undefined && Object.keys(activeFilters(filters)).length > 0;

/** Vocabulary size up to which all pairs of tokens are compared instead of searching a threshold. */
const fewTokens = 64;
/**
 * Tokens this many nats below the likeliest are dropped by every search: their probability is below the
 * smallest that a running sum in float32 can reach.
 */
const reach = 60;
/** Halvings of the range of `reach`: the last interval is narrower than neighbouring float32 values. */
const halvings = 34;

/**
 * Of log-probabilities `x` [B, V]: bool[B, V], true where the weight (1 without `weights`) of all likelier
 * tokens together is below `bound` ([B, 1] or a number).
 */
const leading = (x: Expr, weights: Expr | undefined, bound: Expr): Expr =>
  x.type.shape[1] <= fewTokens ? byPairs(x, weights, bound) : bySearch(x, weights, bound);

const byPairs = (x: Expr, weights: Expr | undefined, bound: Expr): Expr => {
  const [B, V] = x.type.shape;
  const likelier = greater(reshape(x, [B, 1, V]), reshape(x, [B, V, 1]));
  const above = weights ? where(likelier, reshape(weights, [B, 1, V]), scalar(0)) : cast(likelier, 'float32');
  return less(sum(above, 2), bound);
};

/** The largest threshold at which the tokens from it on reach the bound, by bisection. */
const bySearch = (x: Expr, weights: Expr | undefined, bound: Expr): Expr => {
  const [B] = x.type.shape;
  const top = max(x, 1, true);
  const { carried } = loop({
    trips: halvings,
    carried: { low: sub(top, reach), high: add(top, 1) },
    body: ({ low, high }) => {
      const middle = mul(add(low, high), 0.5);
      const below = less(x, middle);
      const reached = weights
        ? sum(where(below, scalar(0), weights), 1, true)
        : sum(where(below, scalar(0), scalar(1)), 1, true);
      const short = less(reached, bound);
      return {
        carried: {
          low: reshape(where(short, low, middle), [B, 1]),
          high: reshape(where(short, middle, high), [B, 1]),
        },
      };
    },
  });
  return not(less(x, carried.low));
};

/** Log-probabilities [B, V] with dropped tokens at the value of masked scores, far below all others. */
export const truncated = (logp: Expr, { topK, topP, minP }: Filters): Expr => {
  const dropped = scalar(masked);
  let kept = logp;
  if (topK !== undefined && topK < logp.type.shape[1])
    kept = where(leading(kept, undefined, scalar(topK)), kept, dropped);
  if (topP !== undefined) {
    const weights = exp(kept);
    kept = where(leading(kept, weights, mul(sum(weights, 1, true), topP)), kept, dropped);
  }
  if (minP !== undefined) kept = where(less(kept, add(max(kept, 1, true), Math.log(minP))), dropped, kept);
  return kept;
};

/** Probability [B] of the tokens that were dropped from `logp`. */
export const droppedMass = (logp: Expr, kept: Expr): Expr =>
  sum(where(less(kept, logp), exp(logp), scalar(0)), 1);
