import type { Expr } from '../../tensor/index.ts';
import type { AttentionRule, HeadSizes, Projected } from '../blocks/attention-types.ts';
import type { MatrixLayout } from '../blocks/dense.ts';
import type { ParameterSpec } from '../parameters.ts';
import type { Lookup } from '../symbols.ts';

/**
 * Where the rows of a pass stand: `B` sequences of `T` tokens from position 0, row b·T + t; or one token a
 * row, at positions int32[N].
 */
export type Place =
  | { readonly kind: 'sequences'; readonly B: number; readonly T: number }
  | { readonly kind: 'tokens'; readonly positions: Expr };

/**
 * Attention of one layer: what its rows ask for → what they read, [N, heads·size]. Whole sequences and cached
 * generation differ here only.
 */
export type Attend = (projected: Projected, layer: number) => Expr;

/**
 * A decoder-only transformer of one configuration, as functions from expressions to expressions. D is its
 * width, V its vocabulary.
 */
export interface Transformer extends HeadSizes {
  /**
   * How weight files may differ from `parameters()`: a prefix that some leave out, tensors that are passed
   * over, and one that may stand there a second time under another name, where it must be the same.
   */
  readonly files: {
    readonly prefix: string;
    readonly passedOver: RegExp;
    readonly copy: { readonly name: string; readonly of: string } | null;
  };
  /** How its weight files store the matrices of dense layers. */
  readonly layout: MatrixLayout;
  attention(layer: number): AttentionRule;
  /** Its parameters in order, named as its weight files name them. */
  parameters(): ParameterSpec[];
  /** int32 ids, [B, T] for sequences and [N] for tokens → [N, D]. */
  embed(parameters: Lookup, tokens: Expr, place: Place): Expr;
  /** All blocks and the last norm: [N, D] → [N, D]. */
  blocks(parameters: Lookup, embedded: Expr, place: Place, attend: Attend): Expr;
  /** Next-token logits of hidden states: [N, D] → [N, V]. */
  logits(parameters: Lookup, hidden: Expr): Expr;
  /** [V, D], where the logits are hidden · tableᵀ and nothing else; null where they are not. */
  outputTable(parameters: Lookup): Expr | null;
}
