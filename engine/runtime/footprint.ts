import { bytesOf } from '../onnx/model.ts';
import { topological, type Expr } from '../tensor/expr.ts';
import { bodyOf } from '../tensor/ops/loop.ts';
import { sizeOf } from '../tensor/types.ts';

/** Values that are names for the memory of another one, or of the caller. */
const unowned = new Set(['input', 'constant', 'output', 'reshape', 'stopGradient', 'after', 'loopParameter']);

const bytes = (x: Expr): number => x.outputs.reduce((sum, { dtype, shape }) => sum + bytesOf[dtype] * sizeOf(shape), 0);

/**
 * Largest sum, in bytes, of values alive at once while a graph runs in topological order, the bodies of loops included; inputs and constants are
 * not counted, nor are roots that are written into memory of the caller (`elsewhere`).
 */
export const peakBytes = (roots: readonly Expr[], elsewhere: ReadonlySet<Expr> = new Set()): number => {
  const order = topological(roots);
  const size = (x: Expr): number => (unowned.has(x.op.name) || elsewhere.has(x) ? 0 : bytes(x));
  const lastUse = new Map<Expr, number>();
  order.forEach((node, at) => { for (const x of [node, ...node.inputs]) lastUse.set(x, at); });
  for (const root of roots) lastUse.set(root, order.length);
  const ending = Map.groupBy(lastUse.keys(), (x) => lastUse.get(x)!);
  let [live, peak] = [0, 0];
  order.forEach((node, at) => {
    live += size(node);
    const body = bodyOf(node);
    peak = Math.max(peak, live + (body ? peakBytes(body.results) : 0));
    for (const x of ending.get(at) ?? []) live -= size(x);
  });
  return peak;
};

/** Bytes of the constants of a graph: its session holds them. */
export const constantBytes = (roots: readonly Expr[]): number => topological(roots).reduce((sum, x) => sum + (x.op.name === 'constant' ? bytes(x) : 0), 0);

/** Multiplications and additions of a graph's matrix products, the bodies of loops included: nearly all of its arithmetic. */
export const matrixFlops = (roots: readonly Expr[]): number => topological(roots).reduce((sum, x) => {
  const body = bodyOf(x);
  if (body) return sum + body.trips * matrixFlops(body.results);
  if (x.op.name !== 'matmul' && x.op.name !== 'gemm') return sum;
  const { shape } = x.inputs[0].type;
  const inner = (x.attrs as { readonly transA: boolean }).transA ? shape[shape.length - 2] : shape[shape.length - 1];
  return sum + 2 * inner * sizeOf(x.type.shape);
}, 0);
