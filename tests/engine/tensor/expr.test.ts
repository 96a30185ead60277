import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  add,
  broadcastTo,
  concat,
  constant,
  evaluate,
  gather,
  input,
  iota,
  linear,
  matmul,
  mean,
  mul,
  oneHot,
  pad,
  reshape,
  scalar,
  slice,
  sub,
  sum,
  transpose,
} from '../../../engine/tensor/index.ts';
import { broadcastShapes, sameShape } from '../../../engine/tensor/types.ts';

const f32 = (...shape: number[]) => ({ dtype: 'float32' as const, shape });
const values = (x: Parameters<typeof evaluate>[0][number]) => [...evaluate([x], {})[0].data];

describe('expressions', () => {
  it('are the same object if they are equal', () => {
    const x = input('x', f32(2, 3));
    expect(add(mul(x, 2), 1)).toBe(add(mul(x, 2), 1));
    expect(constant([1, 2], f32(2))).toBe(constant(Float32Array.of(1, 2), f32(2)));
    expect(constant([0], f32(1))).not.toBe(constant([-0], f32(1)));
    expect(sub(x, 1)).not.toBe(sub(1, x));
  });

  it('have a type, and are omitted if they change nothing', () => {
    const x = input('x', f32(2, 3));
    expect(linear(x, input('w', f32(3, 5)), input('b', f32(5))).type).toEqual(f32(2, 5));
    expect(reshape(x, [-1, 2]).type.shape).toEqual([3, 2]);
    expect(reshape(x, [2, 3])).toBe(x);
    expect(transpose(x, [0, 1])).toBe(x);
    expect(slice(x, 1, 0, 3)).toBe(x);
    expect(concat([x], 0)).toBe(x);
    expect(sum(x, [])).toBe(x);
  });

  it('are immutable', () => expect(Object.isFrozen(scalar(1))).toBe(true));

  it('round numbers to float32', () => expect(values(scalar(0.1))).toEqual([Math.fround(0.1)]));
});

describe('composites', () => {
  it('one-hot rows', () =>
    expect(values(oneHot(constant([2, 0], { dtype: 'int32', shape: [2] }), 3))).toEqual([0, 0, 1, 1, 0, 0]));
  it('mean over some axes', () =>
    expect(values(mean(constant([1, 2, 3, 4, 5, 9], f32(2, 3)), 1))).toEqual([2, 6]));
  it('padding', () => expect(values(pad(constant([1, 2], f32(1, 2)), 1, 1, 2))).toEqual([0, 1, 2, 0, 0]));
  it('counting', () => expect(values(iota(3))).toEqual([0, 1, 2]));
  it('slices from the end', () => expect(values(slice(iota(5), 0, -2, 5))).toEqual([3, 4]));
});

describe('rejects invalid operands with both shapes', () => {
  const x = input('x', f32(2, 3));
  it.each([
    [
      'shapes that do not broadcast',
      () => add(x, input('y', f32(2))),
      /add: shapes \[2, 3\] and \[2\] do not broadcast/,
    ],
    ['element types that differ', () => add(x, iota(3)), /float32\[2, 3\] and int32\[3\]/],
    ['matrices that do not chain', () => matmul(x, x), /\[2, 3\] and \[2, 3\] do not chain/],
    ['a reshape to another size', () => reshape(x, [5]), /float32\[2, 3\] does not fit in \[5\]/],
    ['an axis that is not there', () => sum(x, 2), /axis 2 does not exist in rank 2/],
    ['a permutation with a hole', () => transpose(x, [0, 0]), /does not permute/],
    ['a slice beyond the end', () => slice(x, 1, 1, 4), /outside axis 1/],
    ['float ids', () => gather(x, input('f', f32(2))), /int32 or int64 is needed/],
    ['stretching an axis of length 3', () => broadcastTo(x, [2, 4]), /do not broadcast/],
    ['a constant of the wrong size', () => constant([1], f32(2)), /cannot hold 1 values/],
    ['arithmetic of plain numbers', () => add(1, 2), /must be a tensor/],
  ])('%s', (_, build, message) => expect(build).toThrow(message));
});

it('broadcasting is commutative and consistent', () => {
  const shape = fc.array(fc.constantFrom(1, 2, 3), { maxLength: 4 });
  fc.assert(
    fc.property(shape, shape, (a, b) => {
      const attempt = (...shapes: number[][]) => {
        try {
          return broadcastShapes('test', ...shapes);
        } catch {
          return 'refused';
        }
      };
      const both = attempt(a, b);
      expect(attempt(b, a)).toEqual(both);
      if (both !== 'refused') expect(sameShape(broadcastShapes('test', both, a), both)).toBe(true);
    }),
  );
});
