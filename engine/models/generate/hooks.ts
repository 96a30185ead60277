/** What may change a model's logits before the filters and the draw. */
import type { Model } from '../model.ts';

/** An answer in progress, as a hook sees it. */
export interface RowInProgress {
  /** Its tokens so far. */
  readonly made: readonly number[];
  /** Most tokens that it may have. */
  readonly limit: number;
}

/**
 * Adds to the scaled logits of the next token of one row, V numbers that start at 0 or hold the sums of
 * earlier hooks. It depends on the row's tokens alone, so that an answer does not depend on the other rows.
 */
export interface LogitsHook {
  add(row: RowInProgress, bias_V: Float32Array): void;
}

/**
 * A second model with the same vocabulary reads the same rows. Tokens are drawn from
 * softmax((`own` · own logits + `theirs` · its logits) ⁄ temperature), and then:
 * `cap`: its logits are read as those of a dead end after each token; no probability exceeds
 * σ(−logit)^cap before the rest is normalized (`caps.ts`).
 * `nucleus`: tokens outside the fewest likeliest of its own whose probabilities sum to this share at the
 * temperature are dropped, as a filter drops them.
 */
export interface Guidance {
  readonly model: Model;
  readonly own: number;
  readonly theirs: number;
  readonly cap?: number;
  readonly nucleus?: number;
}
