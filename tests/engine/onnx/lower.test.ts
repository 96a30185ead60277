import { describe, expect, it } from 'vitest';
import { lower } from '../../../engine/onnx/lower.ts';
import {
  add,
  exp,
  input,
  iota,
  loop,
  matmul,
  mul,
  scalar,
  sum,
  tanh,
  type Expr,
} from '../../../engine/tensor/index.ts';

const f32 = (...shape: number[]) => ({ dtype: 'float32' as const, shape });
const x = input('x', f32(2, 2));

describe('lowering', () => {
  it('gives the same bytes for the same graph, whatever was built before and in which order', () => {
    const first = lower('g', { y: add(exp(x), tanh(x)) }).bytes;
    mul(x, 17);
    const late = tanh(x);
    expect(lower('g', { y: add(exp(x), late) }).bytes).toEqual(first);
    // Each call builds a new loop, which still lowers to the same bytes.
    const looped = () =>
      lower('g', {
        y: loop({ trips: 2, carried: { s: x }, body: ({ s }) => ({ carried: { s: mul(s, x) } }) }).carried.s,
      }).bytes;
    expect(looped()).toEqual(looped());
  });

  it('writes the nodes that the outputs need, once each, and nothing else', () => {
    const dead = matmul(x, x);
    const text = Buffer.from(lower('g', { y: mul(exp(x), add(exp(x), 1)) }).bytes).toString('latin1');
    expect(dead.type.shape).toEqual([2, 2]);
    expect(text.match(/Exp/g)).toHaveLength(1);
    expect(text).not.toContain('MatMul');
    expect(text).not.toContain('Gemm');
  });

  it('names outputs where they are computed, and adds a copy only for values that already have a name', () => {
    const identities = (outputs: Record<string, Expr>) =>
      Buffer.from(lower('g', outputs).bytes)
        .toString('latin1')
        .match(/Identity/g)?.length ?? 0;
    const y = exp(x);
    expect(identities({ y, z: sum(y) })).toBe(0);
    expect(identities({ y, z: y })).toBe(1);
    expect(identities({ same: x })).toBe(1);
    expect(identities({ fixed: scalar(2) })).toBe(1);
  });

  it('reports a graph’s inputs and outputs', () => {
    const { inputs, outputs } = lower('g', { y: exp(x), n: iota(3) });
    expect(inputs).toEqual({ x: f32(2, 2) });
    expect(outputs).toEqual({ y: f32(2, 2), n: { dtype: 'int32', shape: [3] } });
  });

  it('rejects one name for two inputs, or for an input and an output', () => {
    expect(() => lower('g', { y: add(sum(x), sum(input('x', f32(3)))) })).toThrow(
      /'x' is both float32\[2, 2\] and float32\[3\]/,
    );
    expect(() => lower('g', { x: exp(x) })).toThrow(/names an input and an output/);
  });

  it('reserves its internal names', () => {
    for (const name of ['#0', '#unreturnable']) {
      expect(() => lower('g', { y: exp(input(name, f32(2))) })).toThrow(/begins with '#'/);
      expect(() => lower('g', { [name]: exp(x) })).toThrow(/begins with '#'/);
    }
  });
});
