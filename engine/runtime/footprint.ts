import { bytesOf } from '../onnx/model.ts';
import { topological, type Expr } from '../tensor/expr.ts';
import { sizeOf } from '../tensor/types.ts';

/** Largest sum, in bytes, of values alive at once while a graph runs in topological order; inputs and constants are not counted. */
export const peakBytes = (roots: readonly Expr[]): number => {
  const order = topological(roots);
  const lastUse = new Map<Expr, number>();
  order.forEach((node, at) => { for (const x of [node, ...node.inputs]) lastUse.set(x, at); });
  for (const root of roots) lastUse.set(root, order.length);
  const ending = Map.groupBy(lastUse.keys(), (x) => lastUse.get(x)!);
  let [live, peak] = [0, 0];
  order.forEach((node, at) => {
    live += size(node);
    peak = Math.max(peak, live);
    for (const x of ending.get(at) ?? []) live -= size(x);
  });
  return peak;
};

const size = (x: Expr): number => (['input', 'constant', 'output', 'reshape', 'stopGradient', 'after'].includes(x.op.name)
  ? 0 : x.outputs.reduce((sum, { dtype, shape }) => sum + bytesOf[dtype] * sizeOf(shape), 0));
