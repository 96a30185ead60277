/**
 * Reverse mode on composed graphs, against central differences of their evaluation. Nothing here uses the
 * runtime.
 */
import { describe, expect, it } from 'vitest';
import {
  add,
  concat,
  evaluate,
  exp,
  full,
  gather,
  geluTanh,
  grad,
  input,
  layerNorm,
  linear,
  loop,
  matmul,
  mean,
  mul,
  neg,
  pick,
  reshape,
  scalar,
  softmax,
  split,
  square,
  stopGradient,
  sub,
  sum,
  tanh,
  tokenDistribution,
  tokenLogp,
  transpose,
  unflatten,
  logSoftmax,
  type Expr,
} from '../../../engine/tensor/index.ts';
import { centralDifferences, randomFloats, worstError } from '../../support/tensors.ts';

const f32 = (...shape: number[]) => ({ dtype: 'float32' as const, shape });
const valueOf = (x: Expr, feeds: Record<string, ArrayLike<number>>) => evaluate([x], feeds)[0].data;

const expectSlope = (loss: Expr, wrt: readonly Expr[], feeds: Record<string, ArrayLike<number>>) => {
  grad(loss, wrt).forEach((g, at) => {
    const { name } = wrt[at].attrs as { name: string };
    const slope = centralDifferences((x) => valueOf(loss, { ...feeds, [name]: x })[0], feeds[name]);
    expect(worstError(valueOf(g, feeds), slope), name).toBeLessThan(1e-7);
  });
};

describe('the gradient', () => {
  it('of a small transformer block with attention, normalization and a tied output matches central differences', () => {
    const [B, T, D, V] = [2, 3, 4, 5];
    const flat = input('flat', f32(V * D + D * 3 * D + 3 * D + 2 * D));
    const [table, w, b, gain, bias] = unflatten(flat, [[V, D], [D, 3 * D], [3 * D], [D], [D]]);
    const ids = input('ids', { dtype: 'int32', shape: [B, T] });
    const x = gather(table, ids);
    const heads = (y: Expr) => transpose(reshape(y, [B, T, 2, D / 2]), [0, 2, 1, 3]);
    const [q, k, v] = split(linear(layerNorm(x, gain, bias), w, b), 2, [D, D, D]).map(heads);
    const attended = matmul(softmax(matmul(q, k, { transposeB: true, alpha: Math.SQRT1_2 })), v);
    const y = add(x, geluTanh(reshape(transpose(attended, [0, 2, 1, 3]), [B, T, D])));
    const loss = neg(mean(tokenLogp(matmul(y, table, { transposeB: true }), ids)));
    expectSlope(loss, [flat], { flat: randomFloats(3, flat.type.shape, [-1, 1]), ids: [0, 4, 2, 2, 1, 0] });
  });

  it('accumulates over all uses of a value', () => {
    const x = input('x', f32(3));
    expectSlope(sum(mul(exp(x), add(x, square(x)))), [x], { x: [0.5, -1, 2] });
  });

  it('is summed over axes along which an operand was broadcast', () => {
    const [a, b, c] = [input('a', f32(2, 1, 3)), input('b', f32(4, 1)), input('c', f32())];
    expectSlope(sum(square(sub(mul(a, b), c))), [a, b, c], {
      a: randomFloats(1, [6]),
      b: randomFloats(2, [4]),
      c: [0.3],
    });
  });

  it('flows through the used parts of a split, and is zero in the others', () => {
    const x = input('x', f32(2, 6));
    const [first, , last] = split(x, 1, [2, 3, 1]);
    expectSlope(sum(square(concat([first, last], 1))), [x], { x: randomFloats(4, [12]) });
  });

  it('of token log-probability equals that of pick(logSoftmax), and entropy can share its distribution', () => {
    const logits = input('logits', f32(2, 4));
    const ids = input('ids', { dtype: 'int32', shape: [2] });
    const feeds = { logits: randomFloats(5, [8]), ids: [3, 0] };
    const cheap = grad(sum(square(tokenLogp(logits, ids))), [logits])[0];
    const plain = grad(sum(square(pick(logSoftmax(logits), ids))), [logits])[0];
    expect(worstError(valueOf(cheap, feeds), valueOf(plain, feeds))).toBeLessThan(1e-12);
    const { picked, logp } = tokenDistribution(logits, ids);
    expectSlope(add(sum(picked), sum(mul(exp(logp), logp))), [logits], feeds);
    expectSlope(sum(mul(exp(logp), logp)), [logits], feeds);
  });

  it('can be taken with respect to an expression inside the graph', () => {
    const x = input('x', f32(2));
    const hidden = tanh(x);
    const [g] = grad(sum(square(hidden)), [hidden]);
    expect(worstError(valueOf(g, { x: [0.5, -2] }), [2 * Math.tanh(0.5), 2 * Math.tanh(-2)])).toBeLessThan(
      1e-12,
    );
  });

  it('of a gradient is the second derivative', () => {
    const x = input('x', f32(2));
    const [first] = grad(sum(tanh(x)), [x]);
    expectSlope(sum(square(first)), [x], { x: [0.3, -0.8] });
  });

  it('stops at stopGradient, and is zero for inputs that the loss does not depend on', () => {
    const [x, y] = [input('x', f32(2)), input('y', f32(2))];
    const [gx, gy] = grad(sum(mul(x, stopGradient(square(x)))), [x, y]);
    expect([...valueOf(gx, { x: [3, 2] })]).toEqual([9, 4]);
    expect([...valueOf(gy, {})]).toEqual([0, 0]);
  });

  it('visits only the nodes between the loss and the requested inputs', () => {
    const [x, y] = [input('x', f32(2)), input('y', f32(2))];
    const [g] = grad(sum(add(mul(x, 3), exp(y))), [x]);
    expect(valueOf(g, {})).toEqual(Float64Array.of(3, 3));
  });
});

describe('grad rejects', () => {
  const x = input('x', f32(2));
  it('a loss that is not a scalar', () =>
    expect(() => grad(x, [x])).toThrow(/float32\[2\].*scalar is needed/));
  it('integers', () =>
    expect(() => grad(sum(x), [input('ids', { dtype: 'int32', shape: [2] })])).toThrow(/has no gradient/));
  it('a loop, unless stopGradient holds its result fixed', () => {
    const { carried } = loop({
      trips: 2,
      carried: { s: x },
      body: ({ s }) => ({ carried: { s: mul(s, 2) } }),
    });
    expect(() => grad(sum(carried.s), [x])).toThrow(/loop has no gradient/);
    expect(valueOf(grad(sum(mul(x, stopGradient(carried.s))), [x])[0], { x: [1, 2] })).toEqual(
      Float64Array.of(4, 8),
    );
  });
});

it('builds the same gradient only once', () => {
  const x = input('x', f32(2));
  const loss = sum(mul(x, full(2, [2])));
  expect(grad(loss, [x])[0]).toBe(grad(loss, [x])[0]);
  expect(scalar(2)).toBe(scalar(2));
});
