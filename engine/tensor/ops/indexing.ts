import { defineOp, expectDType, host, type Emitter, type Expr, type HostTensor } from '../expr.ts';
import { illegal, sameShape, show, sizeOf, type TensorType } from '../types.ts';
import { add, exp, mul, neg } from './arithmetic.ts';
import { cast, equal } from './logic.ts';
import { broadcastTo, freed, reshape } from './movement.ts';
import { logSoftmaxRows } from './normalize.ts';
import { sum } from './reduce.ts';
import { iota, outputOf, scalar } from './source.ts';

const inside = (op: string, index: number, length: number): number => {
  if (!(Number.isInteger(index) && index >= 0 && index < length))
    throw illegal(op, `index ${index} lies outside 0 … ${length - 1}`);
  return index;
};

const gatherOp = defineOp<object>({
  name: 'gather',
  infer: ([table, ids]) => {
    expectDType('gather', ids, 'int32', 'int64');
    if (table.type.shape.length === 0) throw illegal('gather', 'a scalar has no rows');
    return { dtype: table.type.dtype, shape: [...ids.type.shape, ...table.type.shape.slice(1)] };
  },
  eval: ([table, ids], _, [type]) => {
    const width = sizeOf(table.shape.slice(1));
    const data = new Float64Array(sizeOf(type.shape));
    ids.data.forEach((id, at) =>
      data.set(
        table.data.subarray(inside('gather', id, table.shape[0]) * width, (id + 1) * width),
        at * width,
      ),
    );
    return host(type, data);
  },
  emit: (g, inputs) => g.node('Gather', inputs, { axis: 0 }),
  vjp: ({ inputs: [table, ids], grad }) => [scatterRows(ids, grad, table.type.shape[0]), undefined],
  cases: [
    {
      shapes: [
        [5, 3],
        [2, 4],
      ],
      attrs: {},
      kinds: { 1: [0, 5] },
    },
    { shapes: [[4], [3]], attrs: {}, kinds: { 1: [0, 4] } },
    { shapes: [[3, 2], []], attrs: {}, kinds: { 1: [0, 3] } },
  ],
});
/** Rows of a table: table[V, ...], ids[...] → [...ids, ...]. The caller keeps ids in 0 … V − 1. */
export const gather = (table: Expr, ids: Expr): Expr => gatherOp([table, ids], {});

/**
 * Elements that the runtime adds in one thread. More are shared among threads that take turns at a row in no
 * fixed order, and then the bits of a sum differ from run to run; it splits work that it takes to be above
 * 210,000 elements.
 */
const scatteredAtOnce = 131_072;

/**
 * Rows go in block by block, each into the table that the last one left: in place, in the order of the ids,
 * with any number of threads.
 */
const emitScatter = (
  g: Emitter,
  [ids, updates]: readonly string[],
  type: TensorType,
  idsOf: Expr,
  base?: string,
): string => {
  const int64 = (values: readonly number[]) => g.tensor({ dtype: 'int64', shape: [values.length] }, values);
  const rows = sizeOf(idsOf.type.shape);
  const width = sizeOf(type.shape.slice(1));
  const indices = g.node('Reshape', [g.node('Cast', [ids], { to: 7 }), int64([rows, 1])]);
  const flat = g.node('Reshape', [updates, int64([rows, ...type.shape.slice(1)])], { allowzero: 1 });
  const block = Math.max(1, Math.floor(scatteredAtOnce / Math.max(1, width)));
  const lengths = Array.from({ length: Math.ceil(rows / block) }, (_, at) =>
    Math.min(block, rows - at * block),
  );
  const parts = (name: string) =>
    lengths.length < 2 ? [name] : g.nodes('Split', [name, int64(lengths)], lengths.length, { axis: 0 });
  const values = parts(flat);
  const start =
    base ?? g.node('Expand', [g.tensor({ dtype: type.dtype, shape: [] }, [0]), int64(type.shape)]);
  return parts(indices).reduce(
    (table, places, at) => g.node('ScatterND', [table, places, values[at]], { reduction: 'add' }),
    start,
  );
};

const scatterRowsOp = defineOp<{ rows: number }>({
  name: 'scatterRows',
  infer: ([ids, updates], { rows }) => {
    expectDType('scatterRows', ids, 'int32', 'int64');
    const rank = ids.type.shape.length;
    if (!sameShape(updates.type.shape.slice(0, rank), ids.type.shape))
      throw illegal(
        'scatterRows',
        `${show(updates.type)} does not hold one row for each of ${show(ids.type)}`,
      );
    return { dtype: updates.type.dtype, shape: [rows, ...updates.type.shape.slice(rank)] };
  },
  eval: ([ids, updates], { rows }, [type]) => {
    const data = new Float64Array(sizeOf(type.shape));
    const width = sizeOf(type.shape.slice(1));
    ids.data.forEach((id, at) => {
      for (let i = 0; i < width; i++)
        data[inside('scatterRows', id, rows) * width + i] += updates.data[at * width + i];
    });
    return host(type, data);
  },
  emit: (g, names, _, node) => emitScatter(g, names, node.type, node.inputs[0]),
  vjp: ({ inputs: [ids], grad }) => [undefined, gather(grad, ids)],
  cases: [
    {
      shapes: [
        [2, 4],
        [2, 4, 3],
      ],
      attrs: { rows: 5 },
      kinds: { 0: [0, 5] },
    },
    { shapes: [[6], [6]], attrs: { rows: 3 }, kinds: { 0: [0, 3] } },
    { shapes: [[], [2]], attrs: { rows: 3 }, kinds: { 0: [0, 3] } },
  ],
});
/**
 * Adds rows into a table of zeros, repeated ids included: ids[...], updates[...ids, ...] → [rows, ...]. The
 * gradient of `gather`.
 */
export const scatterRows = (ids: Expr, updates: Expr, rows: number): Expr =>
  scatterRowsOp([ids, updates], { rows });

const addRowsOp = defineOp<object>({
  name: 'addRows',
  infer: ([table, ids, updates]) => {
    const rank = ids.type.shape.length;
    if (!sameShape(updates.type.shape, [...ids.type.shape, ...table.type.shape.slice(1)]) || rank === 0)
      throw illegal(
        'addRows',
        `${show(updates.type)} does not hold one row of ${show(table.type)} for each of ${show(ids.type)}`,
      );
    return table.type;
  },
  eval: ([table, ids, updates], _, [type]) => {
    const added = scatterRowsOp.definition.eval([ids, updates], { rows: table.shape[0] }, [
      type,
    ]) as HostTensor;
    return host(
      type,
      added.data.map((value, at) => value + table.data[at]),
    );
  },
  emit: (g, [table, ids, updates], _, node) =>
    emitScatter(g, [ids, updates], node.type, node.inputs[1], table),
  vjp: ({ inputs: [, ids], grad }) => [grad, undefined, gather(grad, ids)],
  cases: [
    {
      shapes: [
        [5, 3],
        [2, 4],
        [2, 4, 3],
      ],
      attrs: {},
      kinds: { 1: [0, 5] },
    },
  ],
});
/**
 * Adds rows into a table, repeated ids included: table[V, ...], ids[...], updates[...ids, ...] → the table's
 * shape.
 */
export const addRows = (table: Expr, ids: Expr, updates: Expr): Expr => addRowsOp([table, ids, updates], {});

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
      g.tensor({ dtype: 'int64', shape: [shape.length + 1] }, freed([...shape, 1])),
    ]);
    return g.node('Reshape', [
      g.node('GatherElements', [x, column], { axis: -1 }),
      g.tensor({ dtype: 'int64', shape: [shape.length] }, freed(shape)),
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

export const indexingOps = [gatherOp, scatterRowsOp, addRowsOp, pickOp, addAtOp, tokenLogpOp];
