import { defineOp, expectDType, host, type Expr } from '../expr.ts';
import { mapTensors } from '../host.ts';
import { broadcastShapes, illegal, show, type DType } from '../types.ts';
import { lift, type Operand } from './source.ts';

const equalOp = defineOp<object>({
  name: 'equal',
  infer: ([a, b]) => {
    if (a.type.dtype !== b.type.dtype)
      throw illegal('equal', `${show(a.type)} and ${show(b.type)} differ in element type`);
    return { dtype: 'bool', shape: broadcastShapes('equal', a.type.shape, b.type.shape) };
  },
  eval: ([a, b]) => mapTensors('bool', (x, y) => Number(x === y), a, b),
  emit: (g, inputs) => g.node('Equal', inputs),
  vjp: 'none',
  cases: [
    { shapes: [[8], [8]], attrs: {}, kinds: { 0: [0, 3], 1: [0, 3] } },
    { shapes: [[2, 3], [3]], attrs: {}, kinds: { 0: 'bool', 1: 'bool' } },
    { shapes: [[3], [3]], attrs: {}, values: { 0: [1, 2, 3], 1: [1, 0, 3] } },
  ],
});
/** a = b, as bool. */
export const equal = (a: Operand, b: Operand): Expr => equalOp(lift('equal', a, b), {});

const logical = (name: 'and' | 'or', onnx: string, f: (a: number, b: number) => number) =>
  defineOp<object>({
    name,
    infer: ([a, b]) => {
      expectDType(name, a, 'bool');
      expectDType(name, b, 'bool');
      return { dtype: 'bool', shape: broadcastShapes(name, a.type.shape, b.type.shape) };
    },
    eval: ([a, b]) => mapTensors('bool', f, a, b),
    emit: (g, inputs) => g.node(onnx, inputs),
    vjp: 'none',
    cases: [{ shapes: [[4, 4], [4]], attrs: {}, kinds: { 0: 'bool', 1: 'bool' } }],
  });
const andOp = logical('and', 'And', (a, b) => a & b);
const orOp = logical('or', 'Or', (a, b) => a | b);
export const and = (a: Expr, b: Expr): Expr => andOp([a, b], {});
export const or = (a: Expr, b: Expr): Expr => orOp([a, b], {});

const notOp = defineOp<object>({
  name: 'not',
  infer: ([x]) => {
    expectDType('not', x, 'bool');
    return x.type;
  },
  eval: ([x]) => mapTensors('bool', (v) => 1 - v, x),
  emit: (g, inputs) => g.node('Not', inputs),
  vjp: 'none',
  cases: [{ shapes: [[4]], attrs: {}, kinds: { 0: 'bool' } }],
});
export const not = (x: Expr): Expr => notOp([x], {});

const isFiniteOp = defineOp<object>({
  name: 'isFinite',
  infer: ([x]) => {
    expectDType('isFinite', x, 'float32');
    return { dtype: 'bool', shape: x.type.shape };
  },
  eval: ([x]) => mapTensors('bool', (v) => Number(Number.isFinite(v)), x),
  emit: (g, [x]) => g.node('Not', [g.node('Or', [g.node('IsNaN', [x]), g.node('IsInf', [x])])]),
  vjp: 'none',
  cases: [{ shapes: [[4]], attrs: {}, values: { 0: [1, NaN, Infinity, -Infinity] } }],
});
/** False where a value is NaN or infinite. */
export const isFinite = (x: Expr): Expr => isFiniteOp([x], {});

const onnxType: Record<DType, number> = { float32: 1, uint8: 2, int32: 6, int64: 7, bool: 9 };
const castOp = defineOp<{ to: DType }>({
  name: 'cast',
  infer: ([x], { to }) => ({ dtype: to, shape: x.type.shape }),
  eval: ([x], { to }) =>
    host(
      { dtype: to, shape: x.shape },
      to === 'bool' ? x.data.map((v) => Number(v !== 0)) : to === 'float32' ? x.data : x.data.map(Math.trunc),
    ),
  emit: (g, inputs, { to }) => g.node('Cast', inputs, { to: onnxType[to] }),
  vjp: ({ inputs: [x], grad, attrs: { to } }) => [
    x.type.dtype === 'float32' && to === 'float32' ? grad : undefined,
  ],
  cases: [
    { shapes: [[4]], attrs: { to: 'float32' }, kinds: { 0: 'bool' } },
    { shapes: [[4]], attrs: { to: 'int32' } },
    { shapes: [[4]], attrs: { to: 'int64' }, kinds: { 0: [-9, 9] } },
  ],
});
/** x in another element type; floats are truncated towards zero. Only float to float has a gradient. */
export const cast = (x: Expr, to: DType): Expr => (x.type.dtype === to ? x : castOp([x], { to }));

const stopGradientOp = defineOp<object>({
  name: 'stopGradient',
  infer: ([x]) => x.type,
  eval: ([x]) => x,
  emit: (_, [x]) => x,
  vjp: 'none',
  cases: [{ shapes: [[3]], attrs: {} }],
});
/** x, treated as a constant by `grad`. */
export const stopGradient = (x: Expr): Expr => stopGradientOp([x], {});

export const logicOps = [equalOp, andOp, orOp, notOp, isFiniteOp, castOp, stopGradientOp];
