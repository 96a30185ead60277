import { describe, expect, it } from 'vitest';
import {
  add,
  cast,
  constant,
  div,
  evaluate,
  exp,
  flipProducts,
  full,
  gather,
  grad,
  input,
  iota,
  less,
  linear,
  loop,
  matmul,
  mean,
  mul,
  neg,
  reshape,
  scalar,
  square,
  stopGradient,
  sub,
  sum,
  tanh,
  transpose,
  where,
  type Expr,
} from '../../../engine/tensor/index.ts';
import { defineOp, rebuild, topological } from '../../../engine/tensor/expr.ts';
import { bodyOf } from '../../../engine/tensor/ops/loop.ts';
import { optimize } from '../../../engine/tensor/passes/index.ts';
import { verify } from '../../../engine/tensor/verify.ts';
import { randomFloats, worstError } from '../../support/tensors.ts';

const f32 = (...shape: number[]) => ({ dtype: 'float32' as const, shape });
const x = input('x', f32(2, 3));
const feeds = { x: randomFloats(1, [2, 3]), w: randomFloats(2, [3, 4]), b: randomFloats(3, [4]), s: [0.7] };
const iotaFloat = (): Expr => cast(iota(3), 'float32');
const optimized = (y: Expr): Expr => optimize({ y }).y;
const opNames = (y: Expr): string[] => topological([y]).map(({ op }) => op.name);

/**
 * Expects that the graph consists of these ops (constants and inputs aside), and that its values are
 * unchanged.
 */
const expectOps = (y: Expr, names: readonly string[]) => {
  const lean = optimized(y);
  expect(opNames(lean).filter((name) => name !== 'input' && name !== 'constant')).toEqual(names);
  expect(worstError(evaluate([lean], feeds)[0].data, evaluate([y], feeds)[0].data)).toBeLessThan(1e-6);
};

describe('simplify', () => {
  it.each<[string, Expr, string[]]>([
    ['x · 1', mul(x, 1), []],
    ['1 · x', mul(1, x), []],
    ['x + 0', add(x, 0), []],
    ['0 + x', add(0, x), []],
    ['x − 0', sub(x, 0), []],
    ['x / 1', div(x, 1), []],
    ['−(−x)', neg(neg(x)), []],
    ['x + (−y)', add(x, neg(exp(x))), ['exp', 'sub']],
    ['x − (−y)', sub(x, neg(exp(x))), ['exp', 'add']],
    ['a product with two scalars', mul(mul(x, input('s', f32())), 3), ['mul', 'mul']],
    ['two transposes', transpose(transpose(x)), []],
    ['two reshapes', reshape(reshape(x, [6]), [3, 2]), ['reshape']],
    ['an operand stretched for nothing', mul(x, full(2, [2, 3])), ['mul']],
    ['constants', add(x, mul(square(scalar(3)), iotaFloat())), ['add']],
    ['stopGradient after grad', stopGradient(exp(x)), ['exp']],
  ])('%s', (_, y, names) => expectOps(y, names));

  it('keeps ops that change the shape', () =>
    expect(optimized(add(input('s', f32()), constant([0, 0], f32(2)))).type).toEqual(f32(2)));

  it('does not fold constants that would enlarge the file', () =>
    expect(opNames(optimized(full(1, [100, 100])))).toContain('broadcastTo'));
});

describe('fuse', () => {
  const [w, b] = [input('w', f32(3, 4)), input('b', f32(4))];
  it('a product and its bias', () => expectOps(linear(x, w, b), ['gemm']));
  it('a bias after the rows were reshaped to a batch', () =>
    expectOps(linear(reshape(x, [1, 2, 3]), w, b), ['gemm', 'reshape']));
  it('a product and a constant factor', () => expectOps(mul(matmul(x, w), 0.5), ['matmul']));
  it('but never a product with two readers', () => {
    const product = matmul(x, w);
    expectOps(add(sum(product), sum(mul(product, 0.5))), ['matmul', 'sum', 'mul', 'sum', 'add']);
  });
});

it('rewrites the bodies of loops, and leaves their captured values unchanged', () => {
  const { carried } = loop({
    trips: 3,
    carried: { s: x },
    body: ({ s }) => ({ carried: { s: mul(add(tanh(s), 0), sum(neg(neg(x)))) } }),
  });
  const lean = optimized(carried.s);
  const body = topological([lean])
    .map(bodyOf)
    .find((found) => found !== undefined)!;
  expect(topological(body.results, new Set(body.captured)).map(({ op }) => op.name)).not.toContain('add');
  expect(worstError(evaluate([lean], feeds)[0].data, evaluate([carried.s], feeds)[0].data)).toBe(0);
});

it('preserves the gradient of a whole network', () => {
  const [w, b] = [input('w', f32(3, 4)), input('b', f32(4))];
  const h = tanh(linear(x, w, b));
  const loss = mean(square(where(less(h, 0), mul(h, 0.1), h)));
  const outputs = Object.fromEntries(grad(loss, [x, w, b]).map((g, at) => [`g${at}`, g]));
  const lean = optimize(outputs);
  Object.keys(outputs).forEach((name) =>
    expect(
      worstError(evaluate([lean[name]], feeds)[0].data, evaluate([outputs[name]], feeds)[0].data),
    ).toBeLessThan(1e-6),
  );
});

describe('verify', () => {
  it('accepts a valid graph', () => expect(() => verify([exp(x)], 'test')).not.toThrow());

  it('rejects a node whose type differs from its op’s inferred type', () => {
    const wrong = { ...exp(x), type: f32(7), outputs: [f32(7)] };
    expect(() => verify([wrong], 'a bad pass')).toThrow(
      /not legal after a bad pass: exp .* should be float32\[2, 3\]/,
    );
  });

  it('rejects a pass that changes the type of an output', () =>
    expect(() => verify([sum(x)], 'a bad pass', [x.type])).toThrow(/was float32\[2, 3\] before/));

  it('rejects one name for two inputs', () =>
    expect(() => verify([add(sum(x), sum(input('x', f32(4))))], 'building')).toThrow(/shares the name 'x'/));

  it('rejects a loop’s own value outside its loop', () => {
    let leaked = x;
    loop({
      trips: 1,
      carried: { s: x },
      body: ({ s }) => {
        leaked = s;
        return { carried: { s } };
      },
    });
    expect(() => optimize({ y: exp(leaked) })).toThrow(/used outside its loop/);
  });

  it('rejects lengths that are not integers', () => {
    const half = defineOp<object>({
      name: 'half',
      infer: () => f32(1.5),
      eval: ([v]) => v,
      emit: (_, [v]) => v,
      vjp: 'none',
      cases: [],
    });
    expect(() => verify([half([x], {})], 'test')).toThrow(/not a whole number/);
  });
});

it('rebuilding a node with its own inputs returns the same node', () =>
  expect(rebuild(exp(x), [x])).toBe(exp(x)));

it(
  'leaves the gradient of a single row unchanged when it is added to a table: only lists of rows are ' +
    'added in place',
  () => {
    const [table, held] = ['table', 'held'].map((name) => input(name, { dtype: 'float32', shape: [3, 2] }));
    const [gradient] = grad(sum(square(gather(table, scalar(1, 'int32')))), [table]);
    const { y } = optimize({ y: add(held, gradient) });
    const values = { table: Float64Array.of(1, 2, 3, 4, 5, 6), held: new Float64Array(6).fill(1) };
    expect(Array.from(evaluate([y], values)[0].data)).toEqual([1, 1, 7, 9, 1, 1]);
  },
);

describe('transposed products', () => {
  const w = input('w', f32(3, 4));
  const rows = exp(input('r', f32(2, 4)));
  const fed = { ...feeds, r: randomFloats(4, [2, 4]) };
  const flipped = (y: Expr): Expr => flipProducts({ y }).y;

  it.each<[string, Expr]>([
    ['rows by a fed matrix [out, in]', matmul(rows, w, { transposeB: true })],
    ['with a factor', matmul(rows, w, { transposeB: true, alpha: 0.5 })],
  ])('%s', (_, y) => {
    const other = flipped(y);
    const {
      op,
      inputs: [
        {
          inputs: [left, right],
        },
      ],
    } = other;
    expect([op.name, left, right, other.type]).toEqual(['transpose', w, rows, y.type]);
    expect(worstError(evaluate([optimized(other)], fed)[0].data, evaluate([y], fed)[0].data)).toBeLessThan(
      1e-6,
    );
  });

  it.each<[string, Expr]>([
    ['a matrix [in, out]', matmul(x, w)],
    ['a matrix that is computed', matmul(rows, exp(w), { transposeB: true })],
    ['products of batches', matmul(input('q', f32(2, 2, 4)), input('k', f32(2, 3, 4)), { transposeB: true })],
  ])('leaves %s unchanged', (_, y) => expect(flipped(y)).toBe(y));
});
