import { topological, type Expr } from '../tensor/expr.ts';
import { inputName, producer } from '../tensor/ops/source.ts';
import { sameShape } from '../tensor/types.ts';

/** Ops that read element i of an operand of the output's shape only to make element i. */
const elementwise = new Set(['add', 'sub', 'mul', 'div', 'maximum', 'minimum', 'where', 'neg', 'clip']);
/** Ops that the runtime may turn into another name for the same memory. */
const aliases = new Set(['reshape', 'stopGradient', 'output', 'broadcastTo', 'transpose', 'cast']);

/**
 * Whether the value of `output` may be written over the memory of the input `name` while the graph runs.
 * It may when every read of that memory must have happened before: each reader is an ancestor of the node that writes, or is that node itself and
 * works element by element. Global-norm clipping gives this for parameters, since every update then depends on every gradient.
 */
export const mayShare = (output: Expr, name: string, roots: readonly Expr[]): boolean => {
  const order = topological(roots);
  let { node: writer } = producer(output);
  while (aliases.has(writer.op.name)) writer = producer(writer.inputs[0]).node;
  const before = new Set(topological([writer]));
  const memory = new Set(order.filter((x) => inputName(x) === name));
  for (const x of order) if (aliases.has(x.op.name) && memory.has(x.inputs[0])) memory.add(x);
  if (memory.has(writer)) return false;
  for (const reader of order) {
    if (memory.has(reader) || !reader.inputs.some((x) => memory.has(x))) continue;
    if (reader === writer) {
      if (!elementwise.has(reader.op.name) || reader.inputs.some((x) => memory.has(x) && !sameShape(x.type.shape, writer.type.shape))) return false;
    } else if (!before.has(reader)) return false;
  }
  // Another output that is the same memory under another name would be read after the write.
  return !roots.some((root) => root !== output && memory.has(root));
};
