/** Marks that a model puts into its graph for training. They compute nothing; rewriting removes them. */
import { defineOp, expectDType, type Expr } from '../expr.ts';
import { illegal, sameShape, show } from '../types.ts';

const boundaryOp = defineOp<object>({
  name: 'boundary',
  infer: ([x]) => {
    expectDType('boundary', x, 'float32');
    return x.type;
  },
  eval: ([x]) => x,
  emit: (_, [x]) => x,
  vjp: ({ grad }) => [grad],
  cases: [{ shapes: [[2, 3]], attrs: {} }],
});
/**
 * A point where a network may be cut in two: everything after it reads the earlier part only through this
 * value. `grad` may recompute the values between two of them.
 */
export const boundary = (x: Expr): Expr => boundaryOp([x], {});

const droppableOp = defineOp<{ site: string }>({
  name: 'droppable',
  infer: ([x]) => {
    expectDType('droppable', x, 'float32');
    return x.type;
  },
  eval: ([x]) => x,
  emit: (_, [x]) => x,
  vjp: ({ grad }) => [grad],
  cases: [{ shapes: [[2, 3]], attrs: { site: 'here' } }],
});
/** A value that dropout may be applied to; `site` is a unique name within the network. */
export const droppable = (x: Expr, site: string): Expr => droppableOp([x], { site });

/** The dropout site of a node, or undefined for any other node. */
export const siteOf = (x: Expr): string | undefined =>
  x.op.name === 'droppable' ? (x.attrs as { site: string }).site : undefined;

const afterOp = defineOp<object>({
  name: 'after',
  infer: ([x, before]) => {
    if (!sameShape(x.type.shape, before.type.shape))
      throw illegal('after', `${show(x.type)} waits for ${show(before.type)}, which has another shape`);
    return x.type;
  },
  eval: ([x]) => x,
  // An alias of the same memory, whose shape is read from the other value: it has to wait for that value, and
  // nothing is copied.
  emit: (g, [x, before]) => g.node('Reshape', [x, g.node('Shape', [before])], { allowzero: 1 }),
  vjp: ({ grad }) => [grad, undefined],
  cases: [
    {
      shapes: [
        [2, 3],
        [2, 3],
      ],
      attrs: {},
    },
    { shapes: [[0], [0]], attrs: {} },
  ],
});
/** `x`, but not before `before`, of the same shape, has been computed. */
export const after = (x: Expr, before: Expr): Expr => afterOp([x, before], {});

export const markOps = [boundaryOp, droppableOp, afterOp];
