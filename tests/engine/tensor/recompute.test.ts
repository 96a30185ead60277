import { describe, expect, it } from 'vitest';
import { lower } from '../../../engine/onnx/lower.ts';
import { peakBytes } from '../../../engine/runtime/footprint.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import {
  boundary,
  evaluate,
  geluTanh,
  grad,
  input,
  matmul,
  mean,
  mul,
  square,
  sumSquare,
  add,
  type Expr,
} from '../../../engine/tensor/index.ts';
import { optimize } from '../../../engine/tensor/passes/index.ts';
import { randomFloats, worstError } from '../../support/tensors.ts';

const f32 = (...shape: number[]) => ({ dtype: 'float32' as const, shape });
const layers = 8;
const width = 32;
const rows = 64;
const x = input('x', f32(rows, width));
const weights = Array.from({ length: layers }, (_, at) => [
  input(`up${at}`, f32(width, 4 * width)),
  input(`down${at}`, f32(4 * width, width)),
]);
const wrt = weights.flat();
/** Residual blocks, with a boundary before each and after the last. */
const lossOf = (start: Expr): Expr =>
  mean(
    square(
      boundary(
        weights.reduce((h, [up, down]) => {
          const from = boundary(h);
          return add(from, matmul(geluTanh(matmul(from, up)), down));
        }, start),
      ),
    ),
  );
const loss = (): Expr => lossOf(x);
const feeds = {
  x: randomFloats(1, [rows, width]),
  ...Object.fromEntries(
    wrt.map((w, at) => [(w.attrs as { name: string }).name, randomFloats(at + 2, w.type.shape, [-0.2, 0.2])]),
  ),
};
/** A single number that depends on every gradient, as in a training step. */
const norm = (recompute: boolean): Expr =>
  grad(loss(), wrt, { recompute })
    .map((g) => sumSquare(g))
    .reduce((a, b) => add(a, b));
const products = (y: Expr): number =>
  Buffer.from(lower('g', optimize({ y })).bytes)
    .toString('latin1')
    .match(/Gemm/g)?.length ?? 0;

it('gives the same gradients', () => {
  const [kept, again] = [false, true].map((recompute) => evaluate(grad(loss(), wrt, { recompute }), feeds));
  kept.forEach(({ data }, at) => expect(worstError(again[at].data, data)).toBe(0));
});

it('computes each block once more, and needs less memory', async () => {
  const [kept, again] = [norm(false), norm(true)];
  // the first product of each block again; the second is not needed
  expect(products(again) - products(kept)).toBe(layers);
  const [keptBytes, againBytes] = [kept, again].map((y) => peakBytes(Object.values(optimize({ y }))));
  expect(againBytes / keptBytes).toBeLessThan(0.5);
  const device = await openDevice({ id: 'cpu', threads: 1 });
  const [a, b] = await Promise.all(
    [kept, again].map(
      async (y) => (await (await device.compile({ name: 'norm', outputs: { y } })).run(feeds)).y,
    ),
  );
  expect(worstError(b as Float32Array, a as Float32Array)).toBeLessThan(1e-6);
  await device.close();
});

it('leaves a graph without boundaries unchanged', () => {
  const plain = mean(square(matmul(x, weights[0][0])));
  expect(grad(plain, [weights[0][0]], { recompute: true })).toEqual(grad(plain, [weights[0][0]]));
});

describe('two networks in one loss', () => {
  const other = (size: number) => input('other', f32(size, width));
  const both = (size: number): Expr => add(lossOf(x), mul(lossOf(other(size)), 0.5));
  const all = (size: number) => ({ ...feeds, other: randomFloats(99, [size, width]) });

  it.each([
    ['one shape', rows],
    ['two shapes', rows / 2],
  ])('of %s have the same gradients, each recomputed separately', (_, size) => {
    const [kept, again] = [false, true].map((recompute) => grad(both(size), wrt, { recompute }));
    const [values, fresh] = [kept, again].map((grads) => evaluate(grads, all(size)));
    values.forEach(({ data }, at) => expect(worstError(fresh[at].data, data)).toBe(0));
    const normOf = (grads: Expr[]): Expr => grads.map((g) => sumSquare(g)).reduce((a, b) => add(a, b));
    // each block of each network once more, and nothing after its last boundary
    expect(products(normOf(again)) - products(normOf(kept))).toBe(2 * layers);
    const [keptBytes, againBytes] = [kept, again].map((grads) =>
      peakBytes(Object.values(optimize({ y: normOf(grads) }))),
    );
    expect(againBytes / keptBytes).toBeLessThan(0.6);
  });

  it('may be built alternately, block by block, and then joined', () => {
    const step = (h: Expr, [up, down]: Expr[]): Expr => {
      const from = boundary(h);
      return add(from, matmul(geluTanh(matmul(from, up)), down));
    };
    const y = other(rows);
    const [a, b] = weights.reduce(([left, right], each) => [step(left, each), step(right, each)], [x, y]);
    const joined = mean(square(mul(boundary(a), boundary(add(b, a)))));
    const [kept, again] = [false, true].map((recompute) =>
      evaluate(grad(joined, [...wrt, x], { recompute }), all(rows)),
    );
    kept.forEach(({ data }, at) => expect(worstError(again[at].data, data)).toBe(0));
  });
});
