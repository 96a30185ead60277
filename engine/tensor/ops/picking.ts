/** Picks one element of the last axis at each position, such as the log-probability of a token. */
import { defineOp, expectDType, host, type Expr, type HostTensor } from '../expr.ts';
import { illegal, sameShape, show } from '../types.ts';
import { add, exp, mul, neg } from './arithmetic.ts';
import { inside } from './indexing.ts';
import { cast, equal } from './logic.ts';
import { broadcastTo, withInferredFirstAxis, reshape } from './movement.ts';
import { logSoftmaxRows } from './normalize.ts';
import { sum } from './reduce.ts';
import { iota, outputOf, scalar } from './source.ts';

const expectLastAxis = (op: string, x: Expr, ids: Expr): void => {
  expectDType(op, ids, 'int32', 'int64');
  if (x.type.shape.length === 0 || !sameShape(x.type.shape.slice(0, -1), ids.type.shape))
    throw illegal(op, `${show(ids.type)} does not hold one index for each row of ${show(x.type)}`);
};

const pickOp = defineOp<object>({
  name: 'pick',
  infer: ([x, ids]) => {
    expectLastAxis('pick', x, ids);
    return { dtype: x.type.dtype, shape: ids.type.shape };
  },
  eval: ([x, ids]) => {
    const length = x.shape[x.shape.length - 1];
    return host(
      { dtype: x.dtype, shape: ids.shape },
      ids.data.map((id, at) => x.data[at * length + inside('pick', id, length)]),
    );
  },
  emit: (g, [x, ids], _, node) => {
    const { shape } = node.type;
    const column = g.node('Reshape', [
      ids,
      g.tensor({ dtype: 'int64', shape: [shape.length + 1] }, withInferredFirstAxis([...shape, 1])),
    ]);
    return g.node('Reshape', [
      g.node('GatherElements', [x, column], { axis: -1 }),
      g.tensor({ dtype: 'int64', shape: [shape.length] }, withInferredFirstAxis(shape)),
    ]);
  },
  vjp: ({ inputs: [x, ids], grad }) => [addAt(broadcastTo(scalar(0), x.type.shape), ids, grad), undefined],
  cases: [
    {
      shapes: [
        [2, 3, 5],
        [2, 3],
      ],
      attrs: {},
      kinds: { 1: [0, 5] },
    },
    { shapes: [[4], []], attrs: {}, kinds: { 1: [0, 4] } },
  ],
});
/** One element of the last axis per position: x[..., V], ids[...] → [...]. */
export const pick = (x: Expr, ids: Expr): Expr => pickOp([x, ids], {});

const addAtOp = defineOp<object>({
  name: 'addAt',
  infer: ([x, ids, values]) => {
    expectLastAxis('addAt', x, ids);
    if (!sameShape(values.type.shape, ids.type.shape))
      throw illegal('addAt', `${show(values.type)} does not hold one value for each of ${show(ids.type)}`);
    return x.type;
  },
  eval: ([x, ids, values]) => {
    const data = x.data.slice();
    const length = x.shape[x.shape.length - 1];
    ids.data.forEach((id, at) => {
      data[at * length + inside('addAt', id, length)] += values.data[at];
    });
    return host(x, data);
  },
  emit: (g, [x, ids, values], _, node) => {
    const shape = node.type.shape.with(-1, 1);
    const column = (name: string) =>
      g.node('Reshape', [name, g.tensor({ dtype: 'int64', shape: [shape.length] }, shape)]);
    return g.node('ScatterElements', [x, column(ids), column(values)], { axis: -1, reduction: 'add' });
  },
  vjp: ({ inputs: [, ids], grad }) => [grad, undefined, pick(grad, ids)],
  cases: [
    {
      shapes: [
        [2, 3, 5],
        [2, 3],
        [2, 3],
      ],
      attrs: {},
      kinds: { 1: [0, 5] },
    },
  ],
});
/** x with a value added to one element of the last axis per position: x[..., V], ids[...], values[...]. */
export const addAt = (x: Expr, ids: Expr, values: Expr): Expr => addAtOp([x, ids, values], {});

const tokenLogpOp = defineOp<object>({
  name: 'tokenLogp',
  infer: ([logits, ids]) => {
    expectLastAxis('tokenLogp', logits, ids);
    return [{ dtype: 'float32', shape: ids.type.shape }, logits.type];
  },
  eval: ([logits, ids], attrs, [type]) => {
    const logp = logSoftmaxRows(logits);
    return [pickOp.definition.eval([logp, ids], attrs, [type]) as HostTensor, logp];
  },
  emit: (g, [logits, ids], attrs, node) => {
    const logp = g.node('LogSoftmax', [logits], { axis: -1 });
    return [pickOp.definition.emit(g, [logp, ids], attrs, node) as string, logp];
  },
  // y = logits − lse: d y(id) / d logits = one-hot(id) − exp(y). Three passes, and no array of zeros; dense
  // gradients of y as in logSoftmax.
  vjp: ({ inputs: [, ids], output, grads: [picked, dense] }) => {
    const logp = outputOf(output, 1);
    const total = [picked && reshape(picked, [...picked.type.shape, 1]), dense && sum(dense, -1, true)]
      .filter((x) => x !== undefined)
      .reduce(add);
    const spread = mul(exp(logp), neg(total));
    const rest = dense ? add(dense, spread) : spread;
    return [picked ? addAt(rest, ids, picked) : rest, undefined];
  },
  cases: [
    {
      shapes: [
        [2, 3, 5],
        [2, 3],
      ],
      attrs: {},
      range: [-20, 20],
      kinds: { 1: [0, 5] },
    },
    { shapes: [[4, 3], [4]], attrs: {}, kinds: { 1: [0, 3] } },
  ],
});
/**
 * Log-probability of one token per position: logits[..., V], ids[...] → [...]. Equal to
 * pick(logSoftmax(logits), ids), with a cheaper gradient. Where the whole distribution is needed too
 * (entropy), take both from `tokenDistribution`.
 */
export const tokenLogp = (logits: Expr, ids: Expr): Expr => outputOf(tokenLogpOp([logits, ids], {}), 0);
/** The same, with the log-probability of every token: `{ picked[...], logp[..., V] }`, from one pass. */
export const tokenDistribution = (
  logits: Expr,
  ids: Expr,
): { readonly picked: Expr; readonly logp: Expr } => {
  const node = tokenLogpOp([logits, ids], {});
  return { picked: outputOf(node, 0), logp: outputOf(node, 1) };
};

/** 1 at each id, else 0: ids[...] → float32[..., depth]. */
export const oneHot = (ids: Expr, depth: number): Expr =>
  cast(equal(reshape(cast(ids, 'int32'), [...ids.type.shape, 1]), iota(depth)), 'float32');

export const pickingOps = [pickOp, addAtOp, tokenLogpOp];
