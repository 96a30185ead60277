/**
 * Matrices held in few bits: blocks of values that share a scale, made float32 again only while a product
 * reads them.
 */
import { defineOp, expectDType, host, type Emitter, type Expr, type HostTensor } from '../expr.ts';
import { illegal, sameShape, show, sizeOf, type Shape } from '../types.ts';
import { mul } from './arithmetic.ts';
import { matmul, product } from './matmul.ts';
import { full, reshape } from './movement.ts';
import { sum } from './reduce.ts';

/**
 * How a value of a block is written: `int8` q − 128 in a byte; `int4` q − 8 in half a byte, the first half of
 * a block in the low halves of its bytes and the second in the high ones; `nf4` a place in `normalFloats` in
 * half a byte, neighbours in one byte, the first in its high half.
 */
export type QuantizedFormat = 'int8' | 'int4' | 'nf4';
export const bitsOf: Readonly<Record<QuantizedFormat, 4 | 8>> = { int8: 8, int4: 4, nf4: 4 };
const zeroOf = { int8: 128, int4: 8 } as const;

/**
 * The 16 levels of 4-bit NormalFloat: quantiles of a normal distribution scaled into [−1, 1], 0 among them
 * (arXiv:2305.14314, appendix E), in float32.
 */
export const normalFloats: readonly number[] = [
  -1, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
  -0.18477343022823334, -0.09105003625154495, 0, 0.07958029955625534, 0.16093020141124725,
  0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1,
];

export interface QuantizedAttrs {
  readonly format: QuantizedFormat;
  /** Of the matrix, as it was before its values were laid end to end. */
  readonly shape: readonly [number, number];
}

const blockOf = (
  { type: { shape } }: Pick<Expr, 'type'> | { readonly type: HostTensor },
  format: QuantizedFormat,
): number => (shape[1] * 8) / bitsOf[format];

/** Codes without their scales: what each value is in units of its block's scale. */
const codesOf = ({ shape, data }: HostTensor, format: QuantizedFormat): Float64Array => {
  const [blocks, width] = shape;
  if (format === 'int8') return data.map((byte) => byte - zeroOf.int8);
  const codes = new Float64Array(2 * blocks * width);
  data.forEach((byte, at) => {
    const [low, high] = [byte & 15, byte >> 4];
    const start = 2 * (at - (at % width));
    if (format === 'int4')
      [codes[start + (at % width)], codes[start + width + (at % width)]] = [
        low - zeroOf.int4,
        high - zeroOf.int4,
      ];
    else [codes[2 * at], codes[2 * at + 1]] = [normalFloats[high], normalFloats[low]];
  });
  return codes;
};

const matrixOf = (codes: HostTensor, scales: HostTensor, { format, shape }: QuantizedAttrs): HostTensor => {
  const values = codesOf(codes, format);
  const block = values.length / scales.data.length;
  return host(
    { dtype: 'float32', shape },
    values.map((code, at) => code * scales.data[Math.floor(at / block)]),
  );
};

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

const both = Array.from({ length: 256 }, (_, byte) => [
  normalFloats[byte >> 4],
  normalFloats[byte & 15],
]).flat();

/** Nodes for codes · scales, of the matrix's own shape. */
const emitMatrix = (
  g: Emitter,
  [codes, scales]: readonly string[],
  { format, shape }: QuantizedAttrs,
  blocks: number,
): string => {
  const dims = (...lengths: number[]): string =>
    g.tensor({ dtype: 'int64', shape: [lengths.length] }, lengths);
  const byte = (value: number): string => g.tensor({ dtype: 'uint8', shape: [1] }, [value]);
  const block = sizeOf(shape) / blocks;
  if (format === 'nf4') {
    const pairs = g.node('Gather', [
      g.tensor({ dtype: 'float32', shape: [256, 2] }, both),
      g.node('Cast', [codes], { to: 6 }),
    ]);
    return g.node('Reshape', [
      g.node('Mul', [
        g.node('Reshape', [pairs, dims(blocks, block)]),
        g.node('Reshape', [scales, dims(blocks, 1)]),
      ]),
      dims(...shape),
    ]);
  }
  // bytes are far cheaper to lay side by side than floats
  const whole =
    format === 'int8'
      ? codes
      : g.node(
          'Concat',
          [
            g.node('BitwiseAnd', [codes, byte(15)]),
            g.node('BitShift', [codes, byte(4)], { direction: 'RIGHT' }),
          ],
          { axis: 1 },
        );
  const zeros = g.node('Expand', [byte(zeroOf[format]), dims(blocks)]);
  return g.node('Reshape', [g.node('DequantizeLinear', [whole, scales, zeros], { axis: 0 }), dims(...shape)]);
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
    // The shape of the codes is read from x, nothing of it: so the matrix cannot be made before its product
    // is due, and one stands in memory at a time.
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
  // y = x·W ⇒ dx = dy·Wᵀ, from the same bytes; dW is made only where somebody asks for the scales.
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
 * x·W, or x·Wᵀ where `transposed`, with W in few bits: x[N, K], codes uint8[blocks, bytes of a block], scales
 * float32[blocks]. W's values, row after row, are blocks of equal length. The gradient by x is exact for W as
 * it is written. Forward and backward each make W anew, so that it is held in few bits alone.
 */
export const quantizedMatmul = (
  x: Expr,
  codes: Expr,
  scales: Expr,
  { format, shape, transposed = false }: QuantizedAttrs & { readonly transposed?: boolean },
): Expr => quantizedMatmulOp([x, codes, scales], { format, shape: [...shape], transposed });

/**
 * A product as it is, with `c` [K'] or [N, K'] added where it is written: what `fuse` makes of a product
 * followed by a sum.
 */
export const quantizedGemm = ({ inputs: [x, codes, scales], attrs }: Expr, c: Expr): Expr =>
  quantizedMatmulOp([x, codes, scales, c], attrs as ProductAttrs);

export const quantizedOps = [dequantizeOp, quantizedMatmulOp];
