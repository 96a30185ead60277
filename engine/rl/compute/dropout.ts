/**
 * Dropout (Srivastava et al., 2014) at a model's dropout sites: masks are drawn on the host, keyed by row
 * and not by its place in a batch.
 */
import { hash32, philox } from '../../random/random.ts';
import { cast, input, mul, type Expr } from '../../tensor/index.ts';
import { siteOf } from '../../tensor/ops/marks.ts';
import { rewrite } from '../../tensor/passes/rewrite.ts';
import { eachRow, type MicroBatch } from './packing.ts';

export interface Dropout {
  /** Dropout probability; the remaining values are divided by 1 − rate, so that the mean stays. */
  readonly rate: number;
  readonly seed: number;
  /** Purpose of the draws, such as the trained role. */
  readonly purpose: string;
}

const prefix = 'dropout/';

/** The graph with a dropout mask at every site, an input `dropout/<site>` of bools. */
export const withDropout = (roots: readonly Expr[], rate: number): Expr[] =>
  rewrite(roots, (node) => {
    const site = siteOf(node);
    if (site === undefined) return undefined;
    return mul(
      mul(node.inputs[0], 1 / (1 - rate)),
      cast(input(prefix + site, { dtype: 'bool', shape: node.type.shape }), 'float32'),
    );
  });

/** True if an input of a graph is a dropout mask. */
export const isMask = (name: string): boolean => name.startsWith(prefix);

/**
 * The mask of one site for a micro-batch: 1 keeps a value, [R·T, D] by rows and positions. Draw d of token t
 * of row r is 16 bits of the Philox block (step, r, site, (t·D + d) / 8), so that it does not depend on the
 * micro-batch of the row. Padding rows stay 0.
 */
export const maskOf = (
  name: string,
  size: number,
  rect: MicroBatch,
  { rate, seed, purpose }: Dropout,
  step: number,
): Uint8Array => {
  const mask = new Uint8Array(size);
  const each = size / rect.R;
  const site = hash32(name);
  const key = hash32(purpose);
  const bits = new Uint32Array(4);
  const least = Math.round(rate * 0x10000);
  eachRow(rect, (row, r) => {
    for (let at = 0; at < each; at += 8) {
      philox(step, row, site, at / 8, seed, key, bits);
      for (let i = 0; i < 8 && at + i < each; i++)
        mask[r * each + at + i] = Number(((bits[i >> 1] >>> (16 * (i & 1))) & 0xffff) >= least);
    }
  });
  return mask;
};
