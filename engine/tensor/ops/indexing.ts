import { defineOp, expectDType, host, type Emitter, type Expr, type HostTensor } from '../expr.ts';
import { illegal, sameShape, show, sizeOf, type TensorType } from '../types.ts';

/** The index, if it is within an axis of this length; otherwise throws. */
export const inside = (op: string, index: number, length: number): number => {
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
 * Number of elements that the runtime adds in one thread. More are shared among threads, which add to a row
 * in no fixed order, so that the bits of a sum differ from run to run; the runtime splits work that it
 * estimates above 210,000 elements.
 */
const scatteredAtOnce = 131_072;

/**
 * Inserts rows block by block, each into the table of the block before: in place, in the order of the ids,
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

export const indexingOps = [gatherOp, scatterRowsOp, addRowsOp];
