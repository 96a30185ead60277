import type { Expr } from '../expr.ts';
import { matmul, type MatmulAttrs } from '../ops/matmul.ts';
import { transpose } from '../ops/movement.ts';
import { inputName } from '../ops/source.ts';
import { rewrite, type Rule } from './rewrite.ts';

const flip: Rule = ({ op, inputs: [x, matrix], attrs, type }) => {
  if (op.name !== 'matmul' || type.shape.length !== 2 || inputName(matrix) === undefined) return undefined;
  const { transA, transB, alpha } = attrs as MatmulAttrs;
  return transA || !transB ? undefined : transpose(matmul(matrix, x, { transposeB: true, alpha }));
};

/**
 * Transposes each product x · Wᵀ of a few rows with a fed matrix [out, in] into (W · xᵀ)ᵀ. The CPU's runtime
 * copies the right operand of a product into an order of its own in every run, and reads the left one in
 * place: a few rows are a smaller copy than a matrix.
 */
export const flipProducts = (outputs: Readonly<Record<string, Expr>>): Record<string, Expr> => {
  const names = Object.keys(outputs);
  const flipped = rewrite(Object.values(outputs), flip);
  return Object.fromEntries(names.map((name, at) => [name, flipped[at]]));
};
