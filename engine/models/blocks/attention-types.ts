import type { Expr } from '../../tensor/index.ts';

/**
 * Query, key and value of N rows, heads side by side: apart, [N, heads·size] and twice [N, kvHeads·size],
 * positions applied; or as one product [N, 3·heads·size].
 */
export type Projected =
  { readonly joint: Expr } | { readonly query: Expr; readonly key: Expr; readonly value: Expr };

/**
 * Sizes of attention, the same in every layer; keys and values may have fewer heads than queries, each shared
 * by heads / kvHeads of them.
 */
export interface HeadSizes {
  readonly heads: number;
  readonly kvHeads: number;
  readonly size: number;
}

/**
 * Attention of a layer: scores are query · key · scale, bent to cap · tanh(x / cap) where there is a cap; a
 * window sees so many tokens back, itself included.
 */
export interface AttentionRule {
  readonly scale: number;
  readonly cap: number | null;
  readonly window: number | null;
}
