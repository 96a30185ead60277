import { gather, matmul, reshape, type Expr } from '../../tensor/index.ts';
import type { Lookup } from '../symbols.ts';

/** One number for each sequence from the hidden state of its last real token: hidden [B·T, D], lastRow int32[B] = b·T + length − 1 → [B]. */
export const rewardOf = (parameters: Lookup, hidden: Expr, lastRow: Expr): Expr =>
  reshape(matmul(gather(hidden, lastRow), parameters('score.weight'), { transposeB: true }), lastRow.type.shape);
