import { type Expr, and, greater, less, maximum, minimum, mul, scalar } from '../../../tensor/index.ts';
import { indicator, weightedSum } from './expressions.ts';

export interface ClipRange {
  /** The ratio is clipped to [1 − clipLow, 1 + clipHigh]. */
  readonly clipLow: number;
  readonly clipHigh: number;
}

/**
 * min(ratio · A, clip(ratio, 1 − low, 1 + high) · A), elementwise (arXiv:1707.06347, eq. 7; unequal bounds:
 * arXiv:2503.14476), with the shares, weighted by `share`, of what is clipped on each side. Ratio and A have
 * the same shape: tokens, steps or answers.
 */
export function clippedCredit(ratio: Expr, advantage: Expr, { clipLow, clipHigh }: ClipRange, share: Expr) {
  const [low, high] = [scalar(1 - clipLow), scalar(1 + clipHigh)];
  const clipped = minimum(maximum(ratio, low), high);
  const isClipped = (beyond: Expr, sign: Expr) => weightedSum(share, indicator(and(beyond, sign)));
  return {
    surrogate: minimum(mul(ratio, advantage), mul(clipped, advantage)),
    clipShares: {
      'clip_ratio/low': isClipped(less(ratio, low), less(advantage, scalar(0))),
      'clip_ratio/high': isClipped(greater(ratio, high), greater(advantage, scalar(0))),
    },
  };
}
