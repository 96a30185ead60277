import { add, concat, greater, iota, matmul, mul, or, reshape, scalar, slice, softmax, split, sub, tanh, transpose, where, type Expr } from '../../tensor/index.ts';
import type { AttentionRule, HeadSizes, Projected } from '../families/family.ts';

/** A score that softmax turns into 0 in float32, and that stays finite when scores are added to it. */
export const masked = -1e9;

/** What positions read, and the keys and values [B, kvHeads, T, size] for a cache. */
interface Read { readonly read: Expr; readonly keys: Expr; readonly values: Expr }

/** Causal self-attention over whole sequences: row b·T + t reads rows b·T … b·T + t. */
export const sequenceAttention = (projected: Projected, at: { B: number; T: number }, sizes: HeadSizes, rule: AttentionRule): Read =>
  'joint' in projected ? causalAttention(projected.joint, { ...at, heads: sizes.heads }) : groupedAttention(projected, at, sizes, rule);

/** Blocks of positions are a multiple of so many; and the most blocks, since some devices join no more parts at once. */
const BLOCK = 128, MOST_BLOCKS = 6;

/** Positions [from, to) of queries that see the keys before `to`, as one block of a causal product. */
interface Window { readonly from: number; readonly to: number; readonly keys: Expr; readonly values: Expr }

/**
 * Queries by blocks of positions, each with the keys and values that stand before its end: of many blocks nearly half of the products, which a mask would
 * only take back, is never made. Keys of a block are cut from those of the next one, so that gradients are added up along them. `read` gives what one
 * block has read, positions along `axis`. Keys and values are [B, kvHeads, T, size].
 */
const byBlocks = (T: number, keys: Expr, values: Expr, axis: number, read: (window: Window) => Expr): Expr => {
  const length = BLOCK * Math.ceil(T / (BLOCK * MOST_BLOCKS)), parts: Expr[] = [];
  let cut = { keys, values };
  for (let to = T, from; to > 0; to = from) {
    from = Math.floor((to - 1) / length) * length;
    cut = { keys: slice(cut.keys, 2, 0, to), values: slice(cut.values, 2, 0, to) };
    parts.unshift(read({ from, to, ...cut }));
  }
  return concat(parts, axis);
};

/**
 * The same from separate queries, keys and values. Query heads that share a key head stand below one another as rows of one product, so
 * keys and values are never repeated.
 */
const groupedAttention = ({ query, key, value }: Exclude<Projected, { joint: Expr }>, { B, T }: { B: number; T: number }, { heads, kvHeads, size }: HeadSizes, rule: AttentionRule): Read => {
  const group = heads / kvHeads;
  const queries = transpose(reshape(query, [B, T, kvHeads, group, size]), [0, 2, 3, 1, 4]);
  const [keys, values] = [key, value].map((x) => transpose(reshape(x, [B, T, kvHeads, size]), [0, 2, 1, 3]));
  const read = byBlocks(T, keys, values, 3, ({ from, to, ...seen }) => {
    const rows = group * (to - from);
    const products = bent(matmul(reshape(slice(queries, 3, from, to), [B, kvHeads, rows, size]), seen.keys, { transposeB: true, alpha: rule.scale }), rule.cap);
    const weights = softmax(add(reshape(products, [B, kvHeads, group, to - from, to]), hidden(from, to, rule.window)));
    return reshape(matmul(reshape(weights, [B, kvHeads, rows, to]), seen.values), [B, kvHeads, group, to - from, size]);
  });
  return { read: reshape(transpose(read, [0, 3, 1, 2, 4]), [B * T, heads * size]), keys, values };
};

/** Scores as a soft cap leaves them. */
export const bent = (scores: Expr, cap: number | null): Expr => (cap === null ? scores : mul(tanh(mul(scores, 1 / cap)), cap));

/** float32[to − from, to], added to scores: `masked` for what stands later than a position, or further back than its window. */
const hidden = (from: number, to: number, window: number | null): Expr => {
  const [rows, columns] = [reshape(slice(iota(to), 0, from, to), [to - from, 1]), reshape(iota(to), [1, to])];
  const later = greater(columns, rows);
  const unseen = window === null || window >= to ? later : or(later, greater(sub(rows, columns), window - 1));
  return where(unseen, scalar(masked), scalar(0));
};

/**
 * Causal self-attention over whole sequences: qkv [B·T, 3·D] → what each position read [B·T, D], and the keys and values
 * [B, heads, T, D / heads] for a cache.
 */
export const causalAttention = (qkv: Expr, { B, T, heads }: { B: number; T: number; heads: number }): Read => {
  const D = qkv.type.shape[1] / 3, size = D / heads;
  // Apart first: moving one axis of each is twice as fast as moving the axes of all three at once.
  const [query, keys, values] = split(qkv, 1, [D, D, D]).map((x) => transpose(reshape(x, [B, T, heads, size]), [0, 2, 1, 3]));
  const read = byBlocks(T, keys, values, 2, ({ from, to, ...seen }) =>
    matmul(softmax(add(matmul(slice(query, 2, from, to), seen.keys, { transposeB: true, alpha: 1 / Math.sqrt(size) }), hidden(from, to, null))), seen.values));
  return { read: reshape(transpose(read, [0, 2, 1, 3]), [B * T, D]), keys, values };
};
