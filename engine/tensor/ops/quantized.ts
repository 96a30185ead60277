/**
 * Quantized matrices: blocks of values that share a scale, converted to float32 only while a product reads
 * them.
 */
import { defineOp, expectDType, host, type Expr } from '../expr.ts';
import { illegal, sameShape, show, sizeOf, type Shape } from '../types.ts';
import { mul } from './arithmetic.ts';
import { matmul, product } from './matmul.ts';
import { full, reshape } from './movement.ts';
import {
  blockOf,
  emitMatrix,
  matrixOf,
  type QuantizedAttrs,
  type QuantizedFormat,
} from './quantized-formats.ts';
import { sum } from './reduce.ts';

/** Throws unless bytes [blocks, bytes of a block] and scales [blocks] make up a matrix of this shape. */
const check = (op: string, codes: Expr, scales: Expr, { format, shape }: QuantizedAttrs): void => {
  expectDType(op, codes, 'uint8');
  expectDType(op, scales, 'float32');
  const [blocks] = codes.type.shape;
  if (
    codes.type.shape.length !== 2 ||
    !sameShape(scales.type.shape, [blocks]) ||
    blocks * blockOf(codes, format) !== sizeOf(shape)
  )
    throw illegal(
      op,
      `${show(codes.type)} with ${show(scales.type)} is no ${format} matrix [${shape.join(', ')}]`,
    );
};

/** Σ over each block of dW · code. */
const scalesGradient = (dw: Expr, codes: Expr, attrs: QuantizedAttrs): Expr => {
  const [blocks] = codes.type.shape;
  const rows = (x: Expr): Expr => reshape(x, [blocks, sizeOf(attrs.shape) / blocks]);
  return sum(mul(rows(dw), rows(dequantize(codes, full(1, [blocks]), attrs))), -1);
};

const formats: readonly (readonly [QuantizedFormat, Shape])[] = [
  ['int8', [6, 4]],
  ['int4', [3, 4]],
  ['nf4', [3, 4]],
];

const dequantizeOp = defineOp<QuantizedAttrs>({
  name: 'dequantize',
  infer: ([codes, scales], attrs) => {
    check('dequantize', codes, scales, attrs);
    return { dtype: 'float32', shape: attrs.shape };
  },
  eval: ([codes, scales], attrs) => matrixOf(codes, scales, attrs),
  emit: (g, inputs, attrs, node) => emitMatrix(g, inputs, attrs, node.inputs[0].type.shape[0]),
  vjp: ({ inputs: [codes], grad, attrs }) => [undefined, scalesGradient(grad, codes, attrs)],
  cases: formats.map(([format, shape]) => ({
    shapes: [shape, [shape[0]]],
    attrs: { format, shape: [4, 6] },
    kinds: { 0: 'uint8' },
  })),
});

/**
 * A matrix out of its codes uint8[blocks, bytes of a block] and scales float32[blocks] → float32 of `shape`.
 */
export const dequantize = (codes: Expr, scales: Expr, { format, shape }: QuantizedAttrs): Expr =>
  dequantizeOp([codes, scales], { format, shape: [...shape] });

interface ProductAttrs extends QuantizedAttrs {
  readonly transposed: boolean;
}

const quantizedMatmulOp = defineOp<ProductAttrs>({
  name: 'quantizedMatmul',
  infer: ([x, codes, scales, c], { transposed, ...attrs }) => {
    check('quantizedMatmul', codes, scales, attrs);
    expectDType('quantizedMatmul', x, 'float32');
    const [from, to] = transposed ? attrs.shape.toReversed() : attrs.shape;
    const shape = [x.type.shape[0], to];
    if (x.type.shape.length !== 2 || x.type.shape[1] !== from)
      throw illegal(
        'quantizedMatmul',
        `${show(x.type)} and [${attrs.shape.join(', ')}]${transposed ? 'ᵀ' : ''} do not chain`,
      );
    if (c && !sameShape(c.type.shape, [to]) && !sameShape(c.type.shape, shape))
      throw illegal('quantizedMatmul', `${show(c.type)} does not stretch to [${shape.join(', ')}]`);
    return { dtype: 'float32', shape };
  },
  eval: ([x, codes, scales, c], { transposed, ...attrs }) => {
    const y = product(x, matrixOf(codes, scales, attrs), { transA: false, transB: transposed, alpha: 1 });
    return c
      ? host(
          y,
          y.data.map((value, at) => value + c.data[at % c.data.length]),
        )
      : y;
  },
  emit: (g, [x, codes, scales, ...c], { transposed, ...attrs }, node) => {
    // The shape of the codes depends on x, their values do not: so the matrix cannot be made before its
    // product runs, and only one is in memory at a time.
    const { shape } = node.inputs[1].type;
    const nothing = g.node('Shape', [x], { start: 0, end: 0 });
    const due = g.node('Reshape', [
      codes,
      g.node('Concat', [nothing, g.tensor({ dtype: 'int64', shape: [2] }, shape)], { axis: 0 }),
    ]);
    return g.node('Gemm', [x, emitMatrix(g, [due, scales], attrs, shape[0]), ...c], {
      transA: 0,
      transB: Number(transposed),
      alpha: { float: 1 },
    });
  },
  scratch: (_, { shape, format }) => sizeOf(shape) * (format === 'int8' ? 4 : format === 'int4' ? 6 : 8),
  // y = x·W ⇒ dx = dy·Wᵀ, from the same bytes; dW is made only if the scales need a gradient.
  vjp: ({ inputs: [x, codes, scales, c], grad: g, attrs: { transposed, ...attrs } }) => [
    quantizedMatmul(g, codes, scales, { ...attrs, transposed: !transposed }),
    undefined,
    scalesGradient(
      transposed ? matmul(g, x, { transposeA: true }) : matmul(x, g, { transposeA: true }),
      codes,
      attrs,
    ),
    ...(c ? [g] : []),
  ],
  cases: [
    ...formats.flatMap(([format, shape]) =>
      [false, true].map((transposed) => ({
        shapes: [[3, transposed ? 6 : 4], shape, [shape[0]]],
        attrs: { format, shape: [4, 6] as const, transposed },
        kinds: { 1: 'uint8' as const },
        range: [-0.5, 0.5] as const,
      })),
    ),
    {
      shapes: [[3, 4], [6, 4], [6], [6]],
      attrs: { format: 'int8', shape: [4, 6], transposed: false },
      kinds: { 1: 'uint8' },
      range: [-0.1, 0.1],
    },
    {
      shapes: [[3, 6], [3, 4], [3], [3, 4]],
      attrs: { format: 'int4', shape: [4, 6], transposed: true },
      kinds: { 1: 'uint8' },
    },
  ],
});

/**
 * x·W, or x·Wᵀ if `transposed`, with a quantized W: x[N, K], codes uint8[blocks, bytes of a block], scales
 * float32[blocks]. W's values, row after row, are blocks of equal length. The gradient with respect to x is
 * exact for the quantized W. Forward and backward each dequantize W again, so that only the quantized copy
 * stays in memory.
 */
export const quantizedMatmul = (
  x: Expr,
  codes: Expr,
  scales: Expr,
  { format, shape, transposed = false }: QuantizedAttrs & { readonly transposed?: boolean },
): Expr => quantizedMatmulOp([x, codes, scales], { format, shape: [...shape], transposed });

/**
 * A quantized product with `c` [K'] or [N, K'] added as it is written; `fuse` makes it from a product
 * followed by a sum.
 */
export const quantizedGemm = ({ inputs: [x, codes, scales], attrs }: Expr, c: Expr): Expr =>
  quantizedMatmulOp([x, codes, scales, c], attrs as ProductAttrs);

export const quantizedOps = [dequantizeOp, quantizedMatmulOp];
