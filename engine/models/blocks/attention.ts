import { add, greater, iota, matmul, reshape, scalar, softmax, split, transpose, where, type Expr } from '../../tensor/index.ts';

/** A score that softmax turns into 0 in float32, and that stays finite when scores are added to it. */
export const masked = -1e9;

/**
 * Causal self-attention over whole sequences: qkv [B·T, 3·D] → what each position read [B·T, D], and the keys and values
 * [B, heads, T, D / heads] for a cache.
 */
export const causalAttention = (qkv: Expr, { B, T, heads }: { B: number; T: number; heads: number }): { read: Expr; keys: Expr; values: Expr } => {
  const D = qkv.type.shape[1] / 3, size = D / heads;
  // One transposition of all three, so that the split is along the first axis and copies whole blocks.
  const apart = transpose(reshape(qkv, [B, T, 3, heads, size]), [2, 0, 3, 1, 4]);
  const [query, keys, values] = split(apart, 0, [1, 1, 1]).map((x) => reshape(x, [B, heads, T, size]));
  const later = greater(reshape(iota(T), [1, T]), reshape(iota(T), [T, 1]));
  const scores = add(matmul(query, keys, { transposeB: true, alpha: 1 / Math.sqrt(size) }), where(later, scalar(masked), scalar(0)));
  const read = matmul(softmax(scores), values);
  return { read: reshape(transpose(read, [0, 2, 1, 3]), [B * T, D]), keys, values };
};
