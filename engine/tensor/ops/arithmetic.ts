import { defineOp, expectDType, type Case, type Expr, type OpBuilder, type VjpContext } from '../expr.ts';
import { mapTensors } from '../host.ts';
import { broadcastShapes, illegal, show } from '../types.ts';
import { lift, scalar, type Operand } from './source.ts';

interface Binary {
  readonly name: string;
  readonly onnx: string;
  readonly f: (a: number, b: number) => number;
  readonly vjp: (context: { a: Expr; b: Expr; y: Expr; g: Expr }) => readonly (Expr | undefined)[];
  readonly cases: readonly Case<object>[];
}

/**
 * Element types of the operands must agree; shapes broadcast. The gradient walk sums gradients of broadcast
 * operands.
 */
const binary = ({ name, onnx, f, vjp, cases }: Binary): OpBuilder<object> =>
  defineOp<object>({
    name,
    infer: ([a, b]) => {
      expectDType(name, a, 'float32', 'int32', 'int64');
      if (a.type.dtype !== b.type.dtype)
        throw illegal(name, `${show(a.type)} and ${show(b.type)} differ in element type`);
      return { dtype: a.type.dtype, shape: broadcastShapes(name, a.type.shape, b.type.shape) };
    },
    eval: ([a, b]) => mapTensors(a.dtype, f, a, b),
    emit: (g, inputs) => g.node(onnx, inputs),
    vjp: ({ inputs: [a, b], output: y, grad: g }: VjpContext<object>) => vjp({ a, b, y, g }),
    cases,
  });

const pairs = [
  {
    shapes: [
      [2, 3],
      [2, 3],
    ],
    attrs: {},
  },
  { shapes: [[2, 3], [3]], attrs: {} },
  {
    shapes: [
      [2, 1, 3],
      [4, 1],
    ],
    attrs: {},
  },
  { shapes: [[], [2]], attrs: {} },
  { shapes: [[0, 3], [3]], attrs: {} },
];
const distinct = { ...pairs[0], values: { 1: [3, -3, 4, -4, 5, -5] } };

const addOp = binary({
  name: 'add',
  onnx: 'Add',
  f: (a, b) => a + b,
  vjp: ({ g }) => [g, g],
  cases: [...pairs, { shapes: [[3], [3]], attrs: {}, kinds: { 0: [-9, 9], 1: [-9, 9] } }],
});
const subOp = binary({
  name: 'sub',
  onnx: 'Sub',
  f: (a, b) => a - b,
  vjp: ({ g }) => [g, neg(g)],
  cases: pairs,
});
const mulOp = binary({
  name: 'mul',
  onnx: 'Mul',
  f: (a, b) => a * b,
  vjp: ({ a, b, g }) => [mul(g, b), mul(g, a)],
  cases: pairs,
});
const divOp = binary({
  name: 'div',
  onnx: 'Div',
  f: (a, b) => a / b,
  // d(a/b)/db = −(a/b)/b
  vjp: ({ b, y, g }) => {
    const ga = div(g, b);
    return [ga, neg(mul(ga, y))];
  },
  cases: pairs.map((c) => ({ ...c, range: [0.5, 2] as const })),
});
const maximumOp = binary({
  name: 'maximum',
  onnx: 'Max',
  f: Math.max,
  // A tie counts for the first operand, so that the two gradients always add up to one.
  vjp: ({ a, b, g }) => {
    const second = less(a, b);
    return [where(second, 0, g), where(second, g, 0)];
  },
  cases: [distinct, ...pairs.slice(1)],
});
const minimumOp = binary({
  name: 'minimum',
  onnx: 'Min',
  f: Math.min,
  vjp: ({ a, b, g }) => {
    const second = less(b, a);
    return [where(second, 0, g), where(second, g, 0)];
  },
  cases: [distinct, ...pairs.slice(1)],
});
const powOp = binary({
  name: 'pow',
  onnx: 'Pow',
  f: (a, b) => a ** b,
  vjp: ({ a, b, y, g }) => [mul(g, mul(b, pow(a, sub(b, 1)))), mul(g, mul(y, log(a)))],
  cases: pairs.map((c) => ({ ...c, range: [0.5, 2] as const })),
});

export const add = (a: Operand, b: Operand): Expr => addOp(lift('add', a, b), {});
export const sub = (a: Operand, b: Operand): Expr => subOp(lift('sub', a, b), {});
export const mul = (a: Operand, b: Operand): Expr => mulOp(lift('mul', a, b), {});
/** a / b. Integers divide towards zero in ONNX; use floats. */
export const div = (a: Operand, b: Operand): Expr => divOp(lift('div', a, b), {});
export const maximum = (a: Operand, b: Operand): Expr => maximumOp(lift('maximum', a, b), {});
export const minimum = (a: Operand, b: Operand): Expr => minimumOp(lift('minimum', a, b), {});
/** a to the power b; the gradient needs a > 0 where b is trained or is not a whole number. */
export const pow = (a: Operand, b: Operand): Expr => powOp(lift('pow', a, b), {});

export interface Unary {
  readonly name: string;
  readonly onnx: string;
  readonly f: (x: number) => number;
  readonly vjp: (context: { x: Expr; y: Expr; g: Expr }) => Expr | undefined;
  readonly range?: readonly [number, number];
}

/** A function of each element of a float tensor. */
export const unary = ({ name, onnx, f, vjp, range }: Unary): OpBuilder<object> =>
  defineOp<object>({
    name,
    infer: ([x]) => {
      expectDType(name, x, 'float32');
      return x.type;
    },
    eval: ([x]) => mapTensors(x.dtype, f, x),
    emit: (g, inputs) => g.node(onnx, inputs),
    vjp: ({ inputs: [x], output: y, grad: g }) => [vjp({ x, y, g })],
    cases: [
      { shapes: [[2, 5]], attrs: {}, range },
      { shapes: [[0]], attrs: {}, range },
    ],
  });

const negOp = unary({ name: 'neg', onnx: 'Neg', f: (x) => -x, vjp: ({ g }) => neg(g) });
const expOp = unary({ name: 'exp', onnx: 'Exp', f: Math.exp, vjp: ({ y, g }) => mul(g, y) });
const logOp = unary({ name: 'log', onnx: 'Log', f: Math.log, vjp: ({ x, g }) => div(g, x), range: [0.1, 4] });
const sqrtOp = unary({
  name: 'sqrt',
  onnx: 'Sqrt',
  f: Math.sqrt,
  vjp: ({ y, g }) => div(g, mul(2, y)),
  range: [0.1, 4],
});
export const neg = (x: Expr): Expr => negOp([x], {});
export const exp = (x: Expr): Expr => expOp([x], {});
export const log = (x: Expr): Expr => logOp([x], {});
export const sqrt = (x: Expr): Expr => sqrtOp([x], {});
export const square = (x: Expr): Expr => mul(x, x);

const lessOp = defineOp<object>({
  name: 'less',
  infer: ([a, b]) => {
    expectDType('less', a, 'float32', 'int32', 'int64');
    if (a.type.dtype !== b.type.dtype)
      throw illegal('less', `${show(a.type)} and ${show(b.type)} differ in element type`);
    return { dtype: 'bool', shape: broadcastShapes('less', a.type.shape, b.type.shape) };
  },
  eval: ([a, b]) => mapTensors('bool', (x, y) => Number(x < y), a, b),
  emit: (g, inputs) => g.node('Less', inputs),
  vjp: 'none',
  cases: [
    { shapes: [[2, 3], [3]], attrs: {} },
    { shapes: [[6], [6]], attrs: {}, kinds: { 0: [0, 3], 1: [0, 3] } },
  ],
});
/** a < b, as bool. */
export const less = (a: Operand, b: Operand): Expr => lessOp(lift('less', a, b), {});
/** a > b, as bool. */
export const greater = (a: Operand, b: Operand): Expr => less(b, a);

const whereOp = defineOp<object>({
  name: 'where',
  infer: ([condition, a, b]) => {
    expectDType('where', condition, 'bool');
    if (a.type.dtype !== b.type.dtype)
      throw illegal('where', `${show(a.type)} and ${show(b.type)} differ in element type`);
    return {
      dtype: a.type.dtype,
      shape: broadcastShapes('where', condition.type.shape, a.type.shape, b.type.shape),
    };
  },
  eval: ([condition, a, b]) => mapTensors(a.dtype, (c, x, y) => (c ? x : y), condition, a, b),
  emit: (g, inputs) => g.node('Where', inputs),
  // Zero, not a product with zero: the branch not taken may hold infinities.
  vjp: ({ inputs: [condition], grad: g }) => [
    undefined,
    where(condition, g, scalar(0)),
    where(condition, scalar(0), g),
  ],
  cases: [
    {
      shapes: [
        [2, 3],
        [2, 3],
        [2, 3],
      ],
      attrs: {},
      kinds: { 0: 'bool' },
    },
    { shapes: [[2, 1], [3], []], attrs: {}, kinds: { 0: 'bool' } },
    { shapes: [[4], [4], [4]], attrs: {}, kinds: { 0: 'bool', 1: [0, 9], 2: [0, 9] } },
  ],
});
/** `a` where the condition holds, else `b`. */
export const where = (condition: Expr, a: Operand, b: Operand): Expr =>
  whereOp([condition, ...lift('where', a, b)], {});

export const arithmeticOps = [
  addOp,
  subOp,
  mulOp,
  divOp,
  maximumOp,
  minimumOp,
  powOp,
  negOp,
  expOp,
  logOp,
  sqrtOp,
  lessOp,
  whereOp,
];
