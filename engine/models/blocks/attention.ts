import { add, greater, iota, matmul, mul, or, reshape, scalar, softmax, split, sub, tanh, transpose, where, type Expr } from '../../tensor/index.ts';
import type { AttentionRule, HeadSizes, Projected } from '../families/family.ts';

/** A score that softmax turns into 0 in float32, and that stays finite when scores are added to it. */
export const masked = -1e9;

/** What positions read, and the keys and values [B, kvHeads, T, size] for a cache. */
interface Read { readonly read: Expr; readonly keys: Expr; readonly values: Expr }

/** Causal self-attention over whole sequences: row b·T + t reads rows b·T … b·T + t. */
export const sequenceAttention = (projected: Projected, at: { B: number; T: number }, sizes: HeadSizes, rule: AttentionRule): Read =>
  'joint' in projected ? causalAttention(projected.joint, { ...at, heads: sizes.heads }) : groupedAttention(projected, at, sizes, rule);

/**
 * The same from separate queries, keys and values. Query heads that share a key head stand below one another as rows of one product, so
 * keys and values are never repeated.
 */
const groupedAttention = ({ query, key, value }: Exclude<Projected, { joint: Expr }>, { B, T }: { B: number; T: number }, { heads, kvHeads, size }: HeadSizes, rule: AttentionRule): Read => {
  const group = heads / kvHeads;
  const queries = reshape(transpose(reshape(query, [B, T, kvHeads, group, size]), [0, 2, 3, 1, 4]), [B, kvHeads, group * T, size]);
  const [keys, values] = [key, value].map((x) => transpose(reshape(x, [B, T, kvHeads, size]), [0, 2, 1, 3]));
  const products = bent(matmul(queries, keys, { transposeB: true, alpha: rule.scale }), rule.cap);
  const weights = softmax(add(reshape(products, [B, kvHeads, group, T, T]), where(unseen(T, rule.window), scalar(masked), scalar(0))));
  const read = reshape(matmul(reshape(weights, [B, kvHeads, group * T, T]), values), [B, kvHeads, group, T, size]);
  return { read: reshape(transpose(read, [0, 3, 1, 2, 4]), [B * T, heads * size]), keys, values };
};

/** Scores as a soft cap leaves them. */
export const bent = (scores: Expr, cap: number | null): Expr => (cap === null ? scores : mul(tanh(mul(scores, 1 / cap)), cap));

/** bool[T, T]: what stands later than a position, or further back than its window. */
const unseen = (T: number, window: number | null): Expr => {
  const [from, to] = [reshape(iota(T), [T, 1]), reshape(iota(T), [1, T])];
  const later = greater(to, from);
  return window === null || window >= T ? later : or(later, greater(sub(from, to), window - 1));
};

/**
 * Causal self-attention over whole sequences: qkv [B·T, 3·D] → what each position read [B·T, D], and the keys and values
 * [B, heads, T, D / heads] for a cache.
 */
export const causalAttention = (qkv: Expr, { B, T, heads }: { B: number; T: number; heads: number }): Read => {
  const D = qkv.type.shape[1] / 3, size = D / heads;
  // Apart first: moving one axis of each is twice as fast as moving the axes of all three at once.
  const [query, keys, values] = split(qkv, 1, [D, D, D]).map((x) => transpose(reshape(x, [B, T, heads, size]), [0, 2, 1, 3]));
  const later = greater(reshape(iota(T), [1, T]), reshape(iota(T), [T, 1]));
  const scores = add(matmul(query, keys, { transposeB: true, alpha: 1 / Math.sqrt(size) }), where(later, scalar(masked), scalar(0)));
  const read = matmul(softmax(scores), values);
  return { read: reshape(transpose(read, [0, 2, 1, 3]), [B * T, D]), keys, values };
};
