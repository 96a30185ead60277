import { defineOp, expectDType, host, type Expr, type HostTensor } from '../expr.ts';
import { broadcastStrides, rowsAlong, walk } from '../host.ts';
import { axisOf, illegal, sameShape, sizeOf, type Shape } from '../types.ts';
import { div, mul } from './arithmetic.ts';
import { cast, equal } from './logic.ts';
import { broadcastTo, reshape } from './movement.ts';

interface ReduceAttrs {
  readonly axes: readonly number[];
  readonly keep: boolean;
}

const kept = (shape: Shape, axes: readonly number[]): number[] =>
  shape.map((length, axis) => (axes.includes(axis) ? 1 : length));
const reducedShape = (shape: Shape, { axes, keep }: ReduceAttrs): number[] =>
  keep ? kept(shape, axes) : shape.filter((_, axis) => !axes.includes(axis));

const foldAxes = (
  x: HostTensor,
  attrs: ReduceAttrs,
  from: number,
  f: (sum: number, value: number) => number,
): HostTensor => {
  const inner = kept(x.shape, attrs.axes);
  const data = new Float64Array(sizeOf(inner)).fill(from);
  walk(x.shape, [broadcastStrides(inner, x.shape)], (at, [to]) => {
    data[to] = f(data[to], x.data[at]);
  });
  return host({ dtype: x.dtype, shape: reducedShape(x.shape, attrs) }, data);
};

/** The gradient of a reduction, broadcast back over the reduced axes. */
const stretch = (grad: Expr, x: Expr, { axes }: ReduceAttrs): Expr =>
  broadcastTo(reshape(grad, kept(x.type.shape, axes)), x.type.shape);

const cases = [
  { shapes: [[2, 3, 4]], attrs: { axes: [1], keep: false } },
  { shapes: [[2, 3, 4]], attrs: { axes: [0, 2], keep: true } },
  { shapes: [[2, 3]], attrs: { axes: [0, 1], keep: false } },
];
const axesInput = (axes: readonly number[]) =>
  [{ dtype: 'int64' as const, shape: [axes.length] }, axes] as const;

const sumOp = defineOp<ReduceAttrs>({
  name: 'sum',
  infer: ([x], attrs) => {
    expectDType('sum', x, 'float32', 'int32');
    return { dtype: x.type.dtype, shape: reducedShape(x.type.shape, attrs) };
  },
  eval: ([x], attrs) => foldAxes(x, attrs, 0, (a, b) => a + b),
  emit: (g, [x], { axes, keep }) =>
    g.node('ReduceSum', [x, g.tensor(...axesInput(axes))], { keepdims: Number(keep) }),
  vjp: ({ inputs: [x], grad, attrs }) => [stretch(grad, x, attrs)],
  cases: [
    ...cases,
    { shapes: [[0, 3]], attrs: { axes: [0], keep: false } },
    { shapes: [[2, 3]], attrs: { axes: [1], keep: false }, kinds: { 0: [-9, 9] } },
  ],
});
const maxOp = defineOp<ReduceAttrs>({
  name: 'max',
  infer: ([x], attrs) => {
    expectDType('max', x, 'float32', 'int32');
    if (attrs.axes.some((axis) => x.type.shape[axis] === 0))
      throw illegal('max', 'an empty axis has no largest element');
    return { dtype: x.type.dtype, shape: reducedShape(x.type.shape, attrs) };
  },
  eval: ([x], attrs) => foldAxes(x, attrs, -Infinity, Math.max),
  emit: (g, [x], { axes, keep }) =>
    g.node('ReduceMax', [x, g.tensor(...axesInput(axes))], { keepdims: Number(keep) }),
  // Equal largest elements share the gradient.
  vjp: ({ inputs: [x], output: y, grad, attrs: { axes } }) => {
    const shape = kept(x.type.shape, axes);
    const winners = cast(equal(x, reshape(y, shape)), 'float32');
    return [mul(winners, div(reshape(grad, shape), sum(winners, axes, true)))];
  },
  cases,
});
const sumSquareOp = defineOp<ReduceAttrs>({
  name: 'sumSquare',
  infer: ([x], attrs) => {
    expectDType('sumSquare', x, 'float32');
    return { dtype: 'float32', shape: reducedShape(x.type.shape, attrs) };
  },
  eval: ([x], attrs) => foldAxes(x, attrs, 0, (a, b) => a + b * b),
  emit: (g, [x], { axes, keep }) =>
    g.node('ReduceSumSquare', [x, g.tensor(...axesInput(axes))], { keepdims: Number(keep) }),
  vjp: ({ inputs: [x], grad, attrs: { axes } }) => [mul(x, mul(2, reshape(grad, kept(x.type.shape, axes))))],
  cases: [...cases, { shapes: [[0]], attrs: { axes: [0], keep: false } }],
});
const argmaxOp = defineOp<{ axis: number }>({
  name: 'argmax',
  infer: ([x], { axis }) => {
    expectDType('argmax', x, 'float32', 'int32');
    if (x.type.shape[axis] === 0) throw illegal('argmax', 'an empty axis has no largest element');
    return { dtype: 'int32', shape: x.type.shape.toSpliced(axis, 1) };
  },
  eval: ([x], { axis }) => {
    const best = foldAxes(x, { axes: [axis], keep: true }, -Infinity, Math.max);
    const at = new Float64Array(best.data.length).fill(-1);
    const inner = sizeOf(x.shape.slice(axis + 1));
    walk(x.shape, [broadcastStrides(best.shape, x.shape)], (k, [to]) => {
      if (at[to] < 0 && x.data[k] === best.data[to]) at[to] = Math.floor(k / inner) % x.shape[axis];
    });
    return host({ dtype: 'int32', shape: x.shape.toSpliced(axis, 1) }, at);
  },
  emit: (g, [x], { axis }) => g.node('Cast', [g.node('ArgMax', [x], { axis, keepdims: 0 })], { to: 6 }),
  vjp: 'none',
  cases: [
    { shapes: [[3, 5]], attrs: { axis: 1 } },
    { shapes: [[2, 3, 4]], attrs: { axis: 1 } },
    { shapes: [[1, 4]], attrs: { axis: 1 }, values: { 0: [1, 7, 7, 2] } },
  ],
});

/** The given axes (all by default), counted from the front and sorted. */
const axesOf = (op: string, x: Expr, axes?: number | readonly number[]): number[] =>
  [
    ...new Set(
      (axes === undefined
        ? x.type.shape.map((_, axis) => axis)
        : typeof axes === 'number'
          ? [axes]
          : axes
      ).map((axis) => axisOf(op, axis, x.type.shape.length)),
    ),
  ].sort((a, b) => a - b);

/** Sum over axes (all by default); `keep` leaves them with length 1. */
export const sum = (x: Expr, axes?: number | readonly number[], keep = false): Expr => {
  const over = axesOf('sum', x, axes);
  if (over.length === 0) return x;
  return over.every((axis) => x.type.shape[axis] === 1)
    ? reshape(x, reducedShape(x.type.shape, { axes: over, keep }))
    : sumOp([x], { axes: over, keep });
};
/** Arithmetic mean over axes; NaN over an empty axis. */
export const mean = (x: Expr, axes?: number | readonly number[], keep = false): Expr =>
  div(sum(x, axes, keep), sizeOf(axesOf('mean', x, axes).map((axis) => x.type.shape[axis])));
/** Largest element over axes. */
export const max = (x: Expr, axes?: number | readonly number[], keep = false): Expr => {
  const over = axesOf('max', x, axes);
  return over.length === 0 ? x : maxOp([x], { axes: over, keep });
};
/** Sum of squares over axes, in one pass (18 times cheaper than through a matrix product). */
export const sumSquare = (x: Expr, axes?: number | readonly number[], keep = false): Expr => {
  const over = axesOf('sumSquare', x, axes);
  return over.length === 0 ? mul(x, x) : sumSquareOp([x], { axes: over, keep });
};
/** Position of the largest element of an axis (the first of equals), as int32. */
export const argmax = (x: Expr, axis = -1): Expr =>
  argmaxOp([x], { axis: axisOf('argmax', axis, x.type.shape.length) });

/** Sums a gradient down to the shape of an operand that was broadcast. */
export const sumTo = (x: Expr, shape: Shape): Expr => {
  if (sameShape(x.type.shape, shape)) return x;
  const lead = x.type.shape.length - shape.length;
  const axes = x.type.shape
    .map((_, axis) => axis)
    .filter((axis) => axis < lead || (shape[axis - lead] === 1 && x.type.shape[axis] !== 1));
  return reshape(sum(x, axes), shape);
};

const cumsumOp = defineOp<{ axis: number; reverse: boolean }>({
  name: 'cumsum',
  infer: ([x]) => x.type,
  eval: ([x], { axis, reverse }) => {
    const data = x.data.slice();
    rowsAlong(x.shape, axis, (start, stride, length) => {
      for (let i = 1; i < length; i++) {
        const [to, from] = reverse ? [length - 1 - i, length - i] : [i, i - 1];
        data[start + to * stride] += data[start + from * stride];
      }
    });
    return host(x, data);
  },
  emit: (g, [x], { axis, reverse }) =>
    g.node('CumSum', [x, g.tensor({ dtype: 'int64', shape: [] }, [axis])], { reverse: Number(reverse) }),
  vjp: ({ grad, attrs: { axis, reverse } }) => [cumsum(grad, axis, { reverse: !reverse })],
  cases: [
    { shapes: [[2, 4]], attrs: { axis: 1, reverse: false } },
    { shapes: [[3, 2, 2]], attrs: { axis: 0, reverse: true } },
  ],
});
/** Running sum along an axis, the element itself included; from the end where `reverse`. */
export const cumsum = (x: Expr, axis: number, { reverse = false }: { reverse?: boolean } = {}): Expr =>
  cumsumOp([x], { axis: axisOf('cumsum', axis, x.type.shape.length), reverse });

export const reduceOps = [sumOp, maxOp, sumSquareOp, argmaxOp, cumsumOp];
