import type { Case } from '../../engine/tensor/expr.ts';
import { sizeOf, type Shape } from '../../engine/tensor/types.ts';

/** Numbers in [0, 1) that depend on the seed only. */
export const uniforms = (seed: number, count: number): number[] =>
  Array.from({ length: count }, (_, at) => {
    let h = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(at + 1, 0xc2b2ae35);
    h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
    h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
    return ((h ^ (h >>> 15)) >>> 0) / 2 ** 32;
  });

/** A float32 tensor of numbers in [low, high). */
export const randomFloats = (
  seed: number,
  shape: Shape,
  [low, high]: readonly [number, number] = [-2, 2],
): Float32Array => Float32Array.from(uniforms(seed, sizeOf(shape)), (u) => low + u * (high - low));

/** The input of an op's case at a position: its stated values, or random ones of its kind. */
export const drawn = (c: Case<never>, at: number, seed: number): Float32Array | Int32Array | Uint8Array => {
  const kind = c.kinds?.[at];
  const values = c.values?.[at];
  if (kind === 'bool')
    return Uint8Array.from(values ?? uniforms(seed, sizeOf(c.shapes[at])), (u) => Number(u >= 0.5));
  if (kind === 'uint8')
    return Uint8Array.from(values ?? uniforms(seed, sizeOf(c.shapes[at])), (u) =>
      values ? u : Math.floor(u * 256),
    );
  if (kind)
    return Int32Array.from(values ?? uniforms(seed, sizeOf(c.shapes[at])), (u) =>
      values ? u : kind[0] + Math.floor(u * (kind[1] - kind[0])),
    );
  return values ? Float32Array.from(values) : randomFloats(seed, c.shapes[at], c.range);
};

/** Central differences of a function of one array, in float64. */
export const centralDifferences = (
  f: (x: Float64Array) => number,
  at: ArrayLike<number>,
  step = 1e-5,
): Float64Array =>
  Float64Array.from(at, (_, i) => {
    const moved = (by: number) => {
      const x = Float64Array.from(at);
      x[i] += by;
      return f(x);
    };
    return (moved(step) - moved(-step)) / (2 * step);
  });

/**
 * The largest difference, relative to the larger of 1 and the expected size; NaN only matches NaN, an
 * infinity only itself.
 */
export const worstError = (actual: ArrayLike<number>, expected: ArrayLike<number>): number => {
  if (actual.length !== expected.length) return Infinity;
  let worst = 0;
  for (let i = 0; i < expected.length; i++) {
    if (Object.is(Number(actual[i]), Number(expected[i])) || Number(actual[i]) === expected[i]) continue;
    const error = Math.abs(Number(actual[i]) - expected[i]) / Math.max(1, Math.abs(expected[i]));
    worst = Number.isNaN(error) ? Infinity : Math.max(worst, error);
  }
  return worst;
};
