import type { Expr } from '../expr.ts';
import { addRows } from '../ops/indexing.ts';
import { gemm, matmul, type MatmulAttrs } from '../ops/matmul.ts';
import { reshape } from '../ops/movement.ts';
import { quantizedGemm } from '../ops/quantized.ts';
import { constantData } from '../ops/source.ts';
import { sameShape } from '../types.ts';
import type { Rule } from './rewrite.ts';

/** Looks through the reshape that turns the rows of a product back into a batch. */
const unshaped = (x: Expr): Expr => (x.op.name === 'reshape' ? x.inputs[0] : x);

/** product · constant → the product's own factor. */
const scaled: Rule = (node, use) => {
  if (node.op.name !== 'mul') return undefined;
  const [product, factor] = node.inputs;
  const by = factor.type.shape.length === 0 ? constantData(factor)?.[0] : undefined;
  if (by === undefined || product.op.name !== 'matmul' || !use.once(product)) return undefined;
  const { transA, transB, alpha } = product.attrs as MatmulAttrs;
  return matmul(product.inputs[0], product.inputs[1], {
    transposeA: transA,
    transposeB: transB,
    alpha: alpha * by,
  });
};

/** True if a node is a product of matrices that can absorb a sum. */
const isProduct = ({ op: { name }, type, inputs }: Expr): boolean =>
  type.shape.length === 2 && (name === 'matmul' || (name === 'quantizedMatmul' && inputs.length === 3));
const startedFrom = (product: Expr, c: Expr): Expr =>
  product.op.name === 'matmul'
    ? gemm(product.inputs[0], product.inputs[1], c, product.attrs as MatmulAttrs)
    : quantizedGemm(product, c);

/** product + bias row → one node, which starts from the bias instead of zero. */
const biased: Rule = (node, use) => {
  if (node.op.name !== 'add') return undefined;
  for (const [left, bias] of [node.inputs, node.inputs.toReversed()]) {
    const product = unshaped(left);
    const isRow = bias.type.shape.length === 1 && bias.type.shape[0] === node.type.shape.at(-1);
    if (!isRow || !isProduct(product) || product.type.shape[1] !== bias.type.shape[0]) continue;
    if (!sameShape(left.type.shape, node.type.shape) || !use.once(product) || !use.once(left)) continue;
    return reshape(startedFrom(product, bias), node.type.shape);
  }
  return undefined;
};

/** product + another matrix → one node, which adds as it writes the product. */
const accumulated: Rule = (node, use) => {
  if (node.op.name !== 'add') return undefined;
  for (const [product, held] of [node.inputs, node.inputs.toReversed()]) {
    if (!isProduct(product) || !use.once(product)) continue;
    if (!sameShape(product.type.shape, node.type.shape) || !sameShape(held.type.shape, node.type.shape))
      continue;
    return startedFrom(product, held);
  }
  return undefined;
};

/** rows added to zeros, then to a table → rows added to the table. */
const scattered: Rule = (node, use) => {
  if (node.op.name !== 'add') return undefined;
  const [a, b] = node.inputs;
  for (const [rows, table] of [
    [a, b],
    [b, a],
  ]) {
    if (
      rows.op.name === 'scatterRows' &&
      rows.inputs[0].type.shape.length > 0 &&
      use.once(rows) &&
      sameShape(table.type.shape, node.type.shape)
    )
      return addRows(table, rows.inputs[0], rows.inputs[1]);
  }
  return undefined;
};

/** Replaces two nodes by one of the runtime, which saves a pass over memory. */
export const fuse: Rule = (node, use) =>
  scaled(node, use) ?? biased(node, use) ?? accumulated(node, use) ?? scattered(node, use);
