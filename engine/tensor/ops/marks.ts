/**
 * Marks that a model leaves in its graph for those who train it. They compute nothing: rewriting takes them
 * out.
 */
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
 * A place where a network may be cut in two: all that what follows needs of what came before. `grad` may
 * recompute what lies between two of them.
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
/** A value that dropout may thin out; `site` names the place, and no two places of a network share a name. */
export const droppable = (x: Expr, site: string): Expr => droppableOp([x], { site });

/** The name of a place that dropout may thin out, or undefined for any other node. */
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
  // Another name for the same memory, whose shape is read from the other value: it cannot be there before
  // that one is, and nothing is copied.
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
