import { add, matmul, quantizedMatmul, type Expr } from '../../tensor/index.ts';
import type { Lookup } from '../symbols.ts';

/** How a weight file stores a matrix: GPT-2's files read `x·W`, every other family's `x·Wᵀ`. */
export type MatrixLayout = 'in-out' | 'out-in';

/**
 * The dense layer `name` of a model: x [N, in] → [N, out], with `name.weight` and, if the model has one,
 * `name.bias`. Every dense layer of every family is computed here, so that adapters and quantized matrices
 * are handled in one place.
 */
export const dense = (parameters: Lookup, name: string, x: Expr, layout: MatrixLayout): Expr => {
  const few = parameters.quantized?.(name);
  const transposed = layout === 'out-in';
  const product = few
    ? quantizedMatmul(x, few.codes, few.scales, { ...few, transposed })
    : matmul(x, parameters(`${name}.weight`), { transposeB: transposed });
  const whole = parameters.has(`${name}.bias`) ? add(product, parameters(`${name}.bias`)) : product;
  const low = parameters.lowRank?.(name);
  return low
    ? add(
        whole,
        matmul(matmul(x, low.a, { transposeB: true, alpha: low.scale }), low.b, { transposeB: true }),
      )
    : whole;
};

/** The matrix of a dense layer stored [out, in], if the layer is only a product with it; else null. */
export const plainTable = (parameters: Lookup, name: string): Expr | null =>
  parameters.has(`${name}.bias`) || parameters.lowRank?.(name) ? null : parameters(`${name}.weight`);
