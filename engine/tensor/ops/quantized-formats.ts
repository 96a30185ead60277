/** Storage formats of quantized matrices, and their decoding on the host and in a graph. */
import { host, type Emitter, type Expr, type HostTensor } from '../expr.ts';
import { sizeOf } from '../types.ts';

/**
 * Encoding of a value in a block: `int8` q − 128 in a byte; `int4` q − 8 in half a byte, the first half of a
 * block in the low halves of its bytes and the second in the high ones; `nf4` an index into `normalFloats`
 * in half a byte, neighbours in one byte, the first in its high half.
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
  /** Shape of the matrix before its values were flattened. */
  readonly shape: readonly [number, number];
}

/** Number of values that share a scale. */
export const blockOf = (
  { type: { shape } }: Pick<Expr, 'type'> | { readonly type: HostTensor },
  format: QuantizedFormat,
): number => (shape[1] * 8) / bitsOf[format];

/** Codes without their scales: each value in units of its block's scale. */
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

/** The float32 matrix encoded by codes and scales. */
export const matrixOf = (
  codes: HostTensor,
  scales: HostTensor,
  { format, shape }: QuantizedAttrs,
): HostTensor => {
  const values = codesOf(codes, format);
  const block = values.length / scales.data.length;
  return host(
    { dtype: 'float32', shape },
    values.map((code, at) => code * scales.data[Math.floor(at / block)]),
  );
};

/** The two values of each byte of `nf4`. */
const both = Array.from({ length: 256 }, (_, byte) => [
  normalFloats[byte >> 4],
  normalFloats[byte & 15],
]).flat();

/** Nodes for codes · scales, in the matrix's own shape. */
export const emitMatrix = (
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
  // bytes are far cheaper to interleave than floats
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
