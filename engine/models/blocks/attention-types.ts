import type { Expr } from '../../tensor/index.ts';

/**
 * Query, key and value of N rows, heads concatenated: separate, [N, heads·size] and twice [N, kvHeads·size],
 * positions applied; or as one product [N, 3·heads·size].
 */
export type Projected =
  { readonly joint: Expr } | { readonly query: Expr; readonly key: Expr; readonly value: Expr };

/**
 * Sizes of attention, the same in every layer; each key/value head is shared by heads / kvHeads query heads.
 */
export interface HeadSizes {
  readonly heads: number;
  readonly kvHeads: number;
  readonly size: number;
}

/**
 * Attention of a layer: scores are query · key · scale, limited to cap · tanh(x / cap) if there is a cap; a
 * window counts tokens, the current one included.
 */
export interface AttentionRule {
  readonly scale: number;
  readonly cap: number | null;
  readonly window: number | null;
}
