import type { Expr } from '../../tensor/index.ts';
import type { AttentionRule, HeadSizes, Projected } from '../blocks/attention-types.ts';
import type { MatrixLayout } from '../blocks/dense.ts';
import type { ParameterSpec } from '../parameters.ts';
import type { Lookup } from '../symbols.ts';

/**
 * Positions of the rows of a pass: `B` sequences of `T` tokens from position 0, row b·T + t; or one token
 * per row, at positions int32[N].
 */
export type Place =
  | { readonly kind: 'sequences'; readonly B: number; readonly T: number }
  | { readonly kind: 'tokens'; readonly positions: Expr };

/**
 * Attention of one layer: projections → output [N, heads·size]. Whole sequences and cached generation differ
 * only here.
 */
export type Attend = (projected: Projected, layer: number) => Expr;

/**
 * A decoder-only transformer of one configuration, as functions from expressions to expressions. D is its
 * width, V its vocabulary.
 */
export interface Transformer extends HeadSizes {
  /**
   * Permitted differences between weight files and `parameters()`: an optional prefix, ignored tensors, and
   * a tensor that may also be stored under a second name, with equal values.
   */
  readonly files: {
    readonly prefix: string;
    readonly ignored: RegExp;
    readonly copy: { readonly name: string; readonly of: string } | null;
  };
  /** Storage order of its dense matrices in weight files. */
  readonly layout: MatrixLayout;
  attention(layer: number): AttentionRule;
  /** Its parameters in order, with the names of its weight files. */
  parameters(): ParameterSpec[];
  /** int32 ids, [B, T] for sequences and [N] for tokens → [N, D]. */
  embed(parameters: Lookup, tokens: Expr, place: Place): Expr;
  /** All blocks and the last norm: [N, D] → [N, D]. */
  blocks(parameters: Lookup, embedded: Expr, place: Place, attend: Attend): Expr;
  /** Next-token logits of hidden states: [N, D] → [N, V]. */
  logits(parameters: Lookup, hidden: Expr): Expr;
  /** [V, D], if the logits are exactly hidden · tableᵀ; else null. */
  outputTable(parameters: Lookup): Expr | null;
}
