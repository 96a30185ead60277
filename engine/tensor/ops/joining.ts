/** Slicing, padding, joining and splitting along an axis. */
import { defineOp, host, type Expr } from '../expr.ts';
import { axisOf, illegal, sameShape, show, sizeOf, type Shape } from '../types.ts';
import { broadcastTo, reshape, vector } from './movement.ts';
import { constant, outputOf } from './source.ts';

const sliceOp = defineOp<{ axis: number; start: number; end: number }>({
  name: 'slice',
  infer: ([x], { axis, start, end }) => {
    const length = x.type.shape[axis];
    if (!(0 <= start && start <= end && end <= length))
      throw illegal('slice', `[${start}, ${end}) lies outside axis ${axis} of ${show(x.type)}`);
    return { dtype: x.type.dtype, shape: x.type.shape.with(axis, end - start) };
  },
  eval: ([x], { axis, start, end }) => cut(x, axis, start, end),
  emit: (g, [x], { axis, start, end }) =>
    g.node('Slice', [
      x,
      g.tensor(vector(1), [start]),
      g.tensor(vector(1), [end]),
      g.tensor(vector(1), [axis]),
    ]),
  vjp: ({ inputs: [x], grad, attrs: { axis, start, end } }) => [
    pad(grad, axis, start, x.type.shape[axis] - end),
  ],
  cases: [
    { shapes: [[5]], attrs: { axis: 0, start: 1, end: 4 } },
    { shapes: [[2, 5, 3]], attrs: { axis: 1, start: 0, end: 2 } },
    { shapes: [[2, 3]], attrs: { axis: 1, start: 2, end: 2 } },
  ],
});
/** Elements [start, end) of one axis; negative positions count from the end. */
export const slice = (x: Expr, axis: number, start: number, end: number): Expr => {
  const at = axisOf('slice', axis, x.type.shape.length);
  const length = x.type.shape[at];
  const [from, to] = [start < 0 ? start + length : start, end < 0 ? end + length : end];
  return from === 0 && to === length ? x : sliceOp([x], { axis: at, start: from, end: to });
};

const cut = (
  x: { dtype: Expr['type']['dtype']; shape: Shape; data: Float64Array },
  axis: number,
  start: number,
  end: number,
) => {
  const shape = x.shape.with(axis, end - start);
  const inner = sizeOf(x.shape.slice(axis + 1));
  const [from, to] = [x.shape[axis] * inner, (end - start) * inner];
  const data = new Float64Array(sizeOf(shape));
  for (let o = 0; o * to < data.length; o++)
    data.set(x.data.subarray(o * from + start * inner, o * from + end * inner), o * to);
  return host({ dtype: x.dtype, shape }, data);
};

/** Zeros before and after, along one axis. */
export const pad = (x: Expr, axis: number, before: number, after: number): Expr => {
  const zeros = (length: number) => (length === 0 ? [] : [zerosOf(x, axis, length)]);
  return concat([...zeros(before), x, ...zeros(after)], axis);
};
const zerosOf = (x: Expr, axis: number, length: number): Expr =>
  broadcastTo(constant([0], { dtype: x.type.dtype, shape: [] }), x.type.shape.with(axis, length));

const concatOp = defineOp<{ axis: number }>({
  name: 'concat',
  infer: (xs, { axis }) => {
    const [first] = xs;
    for (const x of xs)
      if (
        x.type.dtype !== first.type.dtype ||
        !sameShape(x.type.shape.with(axis, 0), first.type.shape.with(axis, 0))
      )
        throw illegal('concat', `${show(first.type)} and ${show(x.type)} differ beside axis ${axis}`);
    return {
      dtype: first.type.dtype,
      shape: first.type.shape.with(
        axis,
        xs.reduce((sum, x) => sum + x.type.shape[axis], 0),
      ),
    };
  },
  eval: (xs, { axis }, [{ dtype, shape }]) => {
    const data = new Float64Array(sizeOf(shape));
    let before = 0;
    for (const x of xs) {
      const block = sizeOf(x.shape.slice(axis));
      const step = sizeOf(shape.slice(axis));
      for (let o = 0; o * block < x.data.length; o++)
        data.set(x.data.subarray(o * block, (o + 1) * block), o * step + before);
      before += block;
    }
    return host({ dtype, shape }, data);
  },
  emit: (g, inputs, { axis }) => g.node('Concat', inputs, { axis }),
  vjp: ({ inputs, grad, attrs: { axis } }) =>
    split(
      grad,
      axis,
      inputs.map((x) => x.type.shape[axis]),
    ),
  cases: [
    { shapes: [[2], [3]], attrs: { axis: 0 } },
    {
      shapes: [
        [2, 1, 2],
        [2, 3, 2],
        [2, 2, 2],
      ],
      attrs: { axis: 1 },
    },
    {
      shapes: [
        [2, 2],
        [2, 0],
      ],
      attrs: { axis: 1 },
    },
  ],
});
/** Tensors laid end to end along one axis. */
export const concat = (xs: readonly Expr[], axis: number): Expr => {
  if (xs.length === 0) throw illegal('concat', 'needs at least one tensor');
  return xs.length === 1 ? xs[0] : concatOp(xs, { axis: axisOf('concat', axis, xs[0].type.shape.length) });
};

const splitOp = defineOp<{ axis: number; lengths: readonly number[] }>({
  name: 'split',
  infer: ([x], { axis, lengths }) => {
    if (lengths.reduce((sum, length) => sum + length, 0) !== x.type.shape[axis])
      throw illegal(
        'split',
        `lengths ${lengths.join(' + ')} do not add up to axis ${axis} of ${show(x.type)}`,
      );
    return lengths.map((length) => ({ dtype: x.type.dtype, shape: x.type.shape.with(axis, length) }));
  },
  eval: ([x], { axis, lengths }) =>
    lengths.map((length, at) => {
      const start = lengths.slice(0, at).reduce((sum, l) => sum + l, 0);
      return cut(x, axis, start, start + length);
    }),
  emit: (g, [x], { axis, lengths }) =>
    g.nodes('Split', [x, g.tensor(vector(lengths.length), lengths)], lengths.length, { axis }),
  // One Concat: a parameter vector that is split into all weights of a model gets its whole gradient in one
  // pass.
  vjp: ({ inputs: [x], grads, output, attrs: { axis } }) => [
    concat(
      grads.map((g, at) => g ?? zerosOf(x, axis, output.outputs[at].shape[axis])),
      axis,
    ),
  ],
  cases: [
    { shapes: [[6]], attrs: { axis: 0, lengths: [1, 2, 3] } },
    { shapes: [[2, 5]], attrs: { axis: 1, lengths: [4, 1] } },
  ],
});
/** Consecutive parts of one axis. */
export const split = (x: Expr, axis: number, lengths: readonly number[]): Expr[] => {
  if (lengths.length === 1) return [x];
  const node = splitOp([x], { axis: axisOf('split', axis, x.type.shape.length), lengths: [...lengths] });
  return lengths.map((_, at) => outputOf(node, at));
};
/**
 * Splits a flat vector into consecutive tensors of these shapes: the weights of a model in one parameter
 * vector.
 */
export const unflatten = (flat: Expr, shapes: readonly Shape[]): Expr[] =>
  split(flat, 0, shapes.map(sizeOf)).map((part, at) => reshape(part, shapes[at]));
/** The inverse of `unflatten`. */
export const flatten = (xs: readonly Expr[]): Expr =>
  concat(
    xs.map((x) => reshape(x, [sizeOf(x.type.shape)])),
    0,
  );

export const joiningOps = [sliceOp, concatOp, splitOp];
