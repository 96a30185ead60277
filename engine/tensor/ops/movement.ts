import { defineOp, host, type Expr } from '../expr.ts';
import { broadcastStrides, walk } from '../host.ts';
import {
  axisOf,
  broadcastShapes,
  illegal,
  sameShape,
  show,
  sizeOf,
  stridesOf,
  type Shape,
} from '../types.ts';
import { scalar } from './source.ts';

/** The type of an integer vector, used for shapes, axes and lengths. */
export const vector = (length: number) => ({ dtype: 'int64' as const, shape: [length] });

/**
 * A shape whose first axis is inferred from the number of elements, so that it may differ from run to run.
 */
export const withInferredFirstAxis = (shape: Shape): Shape =>
  shape.length > 0 && sizeOf(shape.slice(1)) > 0 ? shape.with(0, -1) : shape;

const reshapeOp = defineOp<{ shape: Shape }>({
  name: 'reshape',
  infer: ([x], { shape }) => {
    if (sizeOf(shape) !== sizeOf(x.type.shape))
      throw illegal('reshape', `${show(x.type)} does not fit in [${shape.join(', ')}]`);
    return { dtype: x.type.dtype, shape };
  },
  eval: ([x], { shape }) => host({ dtype: x.dtype, shape }, x.data),
  // allowzero: 0 means an empty axis, not "as before".
  emit: (g, [x], { shape }) =>
    g.node('Reshape', [x, g.tensor(vector(shape.length), withInferredFirstAxis(shape))], { allowzero: 1 }),
  vjp: ({ inputs: [x], grad }) => [reshape(grad, x.type.shape)],
  cases: [
    { shapes: [[2, 6]], attrs: { shape: [3, 4] } },
    { shapes: [[1]], attrs: { shape: [] } },
    { shapes: [[0, 3]], attrs: { shape: [3, 0] } },
  ],
});
/** The same elements in another shape; one entry may be −1 and is inferred. */
export const reshape = (x: Expr, shape: Shape): Expr => {
  const known = shape.reduce((product, length) => (length === -1 ? product : product * length), 1);
  const full = shape.map((length) => (length === -1 ? sizeOf(x.type.shape) / known : length));
  return sameShape(full, x.type.shape) ? x : reshapeOp([x], { shape: full });
};

const transposeOp = defineOp<{ perm: readonly number[] }>({
  name: 'transpose',
  infer: ([x], { perm }) => {
    if (
      ![...perm].sort((a, b) => a - b).every((axis, at) => axis === at) ||
      perm.length !== x.type.shape.length
    )
      throw illegal('transpose', `[${perm.join(', ')}] does not permute the axes of ${show(x.type)}`);
    return { dtype: x.type.dtype, shape: perm.map((axis) => x.type.shape[axis]) };
  },
  eval: ([x], { perm }, [{ dtype, shape }]) => {
    const strides = stridesOf(x.shape);
    const data = new Float64Array(x.data.length);
    walk(shape, [perm.map((axis) => strides[axis])], (at, [from]) => {
      data[at] = x.data[from];
    });
    return host({ dtype, shape }, data);
  },
  emit: (g, inputs, { perm }) => g.node('Transpose', inputs, { perm }),
  vjp: ({ grad, attrs: { perm } }) => [
    transpose(
      grad,
      perm.map((_, axis) => perm.indexOf(axis)),
    ),
  ],
  cases: [
    { shapes: [[2, 3]], attrs: { perm: [1, 0] } },
    { shapes: [[2, 3, 4, 2]], attrs: { perm: [2, 0, 3, 1] } },
  ],
});
/** Axes in another order; without `perm` the last two change places. */
export const transpose = (x: Expr, perm?: readonly number[]): Expr => {
  const rank = x.type.shape.length;
  const order =
    perm?.map((axis) => axisOf('transpose', axis, rank)) ??
    [...Array(rank).keys()].map((axis) => (axis < rank - 2 ? axis : 2 * rank - 3 - axis));
  return order.every((axis, at) => axis === at) ? x : transposeOp([x], { perm: order });
};

const broadcastOp = defineOp<{ shape: Shape }>({
  name: 'broadcastTo',
  infer: ([x], { shape }) => {
    if (!sameShape(broadcastShapes('broadcastTo', x.type.shape, shape), shape))
      throw illegal('broadcastTo', `${show(x.type)} does not stretch to [${shape.join(', ')}]`);
    return { dtype: x.type.dtype, shape };
  },
  eval: ([x], { shape }) => {
    const data = new Float64Array(sizeOf(shape));
    walk(shape, [broadcastStrides(x.shape, shape)], (at, [from]) => {
      data[at] = x.data[from];
    });
    return host({ dtype: x.dtype, shape }, data);
  },
  // The runtime's Expand keeps an axis of length 1 if the target length is 0.
  emit: (g, [x], { shape }, { type }) =>
    sizeOf(shape) === 0 ? g.tensor(type, []) : g.node('Expand', [x, g.tensor(vector(shape.length), shape)]),
  vjp: ({ grad }) => [grad],
  cases: [
    { shapes: [[3]], attrs: { shape: [2, 3] } },
    { shapes: [[2, 1]], attrs: { shape: [4, 2, 3] } },
    { shapes: [[]], attrs: { shape: [2] } },
    { shapes: [[1, 3]], attrs: { shape: [0, 3] } },
  ],
});
/** x broadcast to a shape by NumPy's rules. Binary ops broadcast their operands anyway; use this elsewhere. */
export const broadcastTo = (x: Expr, shape: Shape): Expr =>
  sameShape(shape, x.type.shape) ? x : broadcastOp([x], { shape: [...shape] });
/** A tensor filled with one float, made while the graph runs. */
export const full = (value: number, shape: Shape): Expr => broadcastTo(scalar(value), shape);

export const movementOps = [reshapeOp, transposeOp, broadcastOp];
