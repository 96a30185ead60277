import {
  add,
  broadcastTo,
  concat,
  greater,
  iota,
  matmul,
  mul,
  or,
  reshape,
  scalar,
  slice,
  softmax,
  split,
  sub,
  tanh,
  transpose,
  where,
  type Expr,
} from '../../tensor/index.ts';
import type { AttentionRule, HeadSizes, Projected } from './attention-types.ts';

/** A score that softmax turns into 0 in float32, and that stays finite when scores are added to it. */
export const masked = -1e9;

/** Keys and values [B, kvHeads, T, size]. */
interface Seen {
  readonly keys: Expr;
  readonly values: Expr;
}

/** The attention output of some positions, with their keys and values for the KV cache. */
interface Read extends Seen {
  readonly read: Expr;
}

/**
 * B sequences of T positions each; with `before`, cached keys and values [B, kvHeads, Q, size], they are the
 * positions from Q on.
 */
interface Sequences {
  readonly B: number;
  readonly T: number;
  readonly before?: Seen;
}

/**
 * Causal self-attention over whole sequences or their suffixes: row b·T + t attends to the cache of sequence
 * b, and to rows b·T … b·T + t.
 */
export const sequenceAttention = (
  projected: Projected,
  at: Sequences,
  sizes: HeadSizes,
  rule: AttentionRule,
): Read =>
  'joint' in projected
    ? causalAttention(projected.joint, at, sizes.heads)
    : groupedAttention(projected, at, sizes, rule);

/** G groups of S sequences that share a prefix of Q tokens, followed by U tokens of their own. */
export interface SharedPrefixSizes {
  readonly G: number;
  readonly S: number;
  readonly Q: number;
  readonly U: number;
}

/**
 * Causal self-attention with shared prefixes: rows are the G prefixes of Q positions, then the G·S suffixes
 * of U positions. Only the keys and values of a prefix are repeated for the suffixes of its group. → [N,
 * heads·size].
 */
export const sharedAttention = (
  projected: Projected,
  { G, S, Q, U }: SharedPrefixSizes,
  sizes: HeadSizes,
  rule: AttentionRule,
): Expr => {
  const R = G * S;
  const { kvHeads, size } = sizes;
  const [prefixes, suffixes] = rowsOf(projected, [G * Q, R * U]);
  const { read, ...seen } = sequenceAttention(prefixes, { B: G, T: Q }, sizes, rule);
  const forEach = (x: Expr) =>
    reshape(broadcastTo(reshape(x, [G, 1, kvHeads * Q * size]), [G, S, kvHeads * Q * size]), [
      R,
      kvHeads,
      Q,
      size,
    ]);
  const before = { keys: forEach(seen.keys), values: forEach(seen.values) };
  return concat([read, sequenceAttention(suffixes, { B: R, T: U, before }, sizes, rule).read], 0);
};

/** Splits the rows of projections into consecutive parts. */
const rowsOf = (projected: Projected, lengths: readonly number[]): Projected[] => {
  const parts = (x: Expr) => split(x, 0, lengths);
  if ('joint' in projected) return parts(projected.joint).map((joint) => ({ joint }));
  const [query, key, value] = [parts(projected.query), parts(projected.key), parts(projected.value)];
  return lengths.map((_, at) => ({ query: query[at], key: key[at], value: value[at] }));
};

/**
 * Positions per block are a multiple of BLOCK; and the maximum number of blocks, since some devices cannot
 * join more parts at once.
 */
const BLOCK = 128;
const MOST_BLOCKS = 6;

/** Positions [from, to) of queries that attend to the keys before `to`, as one block of a causal product. */
interface Window {
  readonly from: number;
  readonly to: number;
  readonly keys: Expr;
  readonly values: Expr;
}

/**
 * Computes queries in blocks of positions, each with the keys and values up to its end: with many blocks
 * this avoids nearly half of the products, which a mask would discard. Keys of a block are sliced from those
 * of the next one, so that gradients are added up along them. `read` returns one block's output, positions
 * along `axis`; `query` is sliced for it. Positions before the first query only contribute keys and values.
 */
const byBlocks = (
  query: Expr,
  { keys, values }: Seen,
  axis: number,
  read: (block: Expr, window: Window) => Expr,
): Expr => {
  const T = keys.type.shape[2];
  const first = T - query.type.shape[axis];
  const length = BLOCK * Math.ceil(T / (BLOCK * MOST_BLOCKS));
  const parts: Expr[] = [];
  let cut = { keys, values };
  for (let to = T, from; to > first; to = from) {
    from = Math.max(first, Math.floor((to - 1) / length) * length);
    cut = { keys: slice(cut.keys, 2, 0, to), values: slice(cut.values, 2, 0, to) };
    parts.unshift(read(slice(query, axis, from - first, to - first), { from, to, ...cut }));
  }
  return concat(parts, axis);
};

/** All keys and values visible to some positions: the cached ones and their own. */
const joined = (before: Seen | undefined, { keys, values }: Seen): Seen =>
  before
    ? { keys: concat([before.keys, keys], 2), values: concat([before.values, values], 2) }
    : { keys, values };

/**
 * Attention with separate queries, keys and values. Query heads that share a key head are stacked as rows of
 * one product, so keys and values are never repeated.
 */
const groupedAttention = (
  { query, key, value }: Exclude<Projected, { joint: Expr }>,
  { B, T, before }: Sequences,
  { heads, kvHeads, size }: HeadSizes,
  rule: AttentionRule,
): Read => {
  const group = heads / kvHeads;
  const queries = transpose(reshape(query, [B, T, kvHeads, group, size]), [0, 2, 3, 1, 4]);
  const [keys, values] = [key, value].map((x) => transpose(reshape(x, [B, T, kvHeads, size]), [0, 2, 1, 3]));
  const read = byBlocks(queries, joined(before, { keys, values }), 3, (block, { from, to, ...seen }) => {
    const rows = group * (to - from);
    const products = softCapped(
      matmul(reshape(block, [B, kvHeads, rows, size]), seen.keys, { transposeB: true, alpha: rule.scale }),
      rule.cap,
    );
    const weights = softmax(
      add(reshape(products, [B, kvHeads, group, to - from, to]), hidden(from, to, rule.window)),
    );
    return reshape(matmul(reshape(weights, [B, kvHeads, rows, to]), seen.values), [
      B,
      kvHeads,
      group,
      to - from,
      size,
    ]);
  });
  return { read: reshape(transpose(read, [0, 3, 1, 2, 4]), [B * T, heads * size]), keys, values };
};

/** Applies the soft cap to scores. */
export const softCapped = (scores: Expr, cap: number | null): Expr =>
  cap === null ? scores : mul(tanh(mul(scores, 1 / cap)), cap);

/**
 * The causal and window mask as a term added to scores, float32[to − from, to]: `masked` for keys after a
 * position, or before its window.
 */
const hidden = (from: number, to: number, window: number | null): Expr => {
  const [rows, columns] = [reshape(slice(iota(to), 0, from, to), [to - from, 1]), reshape(iota(to), [1, to])];
  const later = greater(columns, rows);
  const unseen = window === null || window >= to ? later : or(later, greater(sub(rows, columns), window - 1));
  return where(unseen, scalar(masked), scalar(0));
};

/**
 * Causal self-attention over whole sequences: qkv [B·T, 3·D] → the output [B·T, D], and the keys and values
 * [B, heads, T, D / heads] for a cache.
 */
const causalAttention = (qkv: Expr, { B, T, before }: Sequences, heads: number): Read => {
  const D = qkv.type.shape[1] / 3;
  const size = D / heads;
  // Split first: moving one axis of each is twice as fast as moving the axes of all three at once.
  const [query, keys, values] = split(qkv, 1, [D, D, D]).map((x) =>
    transpose(reshape(x, [B, T, heads, size]), [0, 2, 1, 3]),
  );
  const read = byBlocks(query, joined(before, { keys, values }), 2, (block, { from, to, ...seen }) =>
    matmul(
      softmax(
        add(
          matmul(block, seen.keys, { transposeB: true, alpha: 1 / Math.sqrt(size) }),
          hidden(from, to, null),
        ),
      ),
      seen.values,
    ),
  );
  return { read: reshape(transpose(read, [0, 2, 1, 3]), [B * T, D]), keys, values };
};
