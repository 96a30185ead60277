import { gather, matmul, reshape, slice, type Expr } from '../../tensor/index.ts';
import type { Lookup } from '../symbols.ts';

/**
 * One number per sequence from the hidden state of its last real token: hidden [B·T, D], lastRow int32[B] =
 * b·T + length − 1 → [B]; [B, K] for a head with K labels.
 */
export const rewardOf = (parameters: Lookup, hidden: Expr, lastRow: Expr): Expr => {
  const weight = parameters('score.weight');
  const scores = matmul(gather(hidden, lastRow), weight, { transposeB: true });
  return weight.type.shape[0] === 1 ? reshape(scores, lastRow.type.shape) : scores;
};

/** The first label's number at every token: hidden [B·T, D] → [B·T]. */
export const rewardPerToken = (parameters: Lookup, hidden: Expr): Expr => {
  const weight = parameters('score.weight');
  const first = weight.type.shape[0] === 1 ? weight : slice(weight, 0, 0, 1);
  return reshape(matmul(hidden, first, { transposeB: true }), [hidden.type.shape[0]]);
};
