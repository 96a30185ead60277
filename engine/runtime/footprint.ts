import { bytesOf } from '../onnx/model.ts';
import { topological, type Expr } from '../tensor/expr.ts';
import { bodyOf } from '../tensor/ops/loop.ts';
import { sizeOf, type TensorType } from '../tensor/types.ts';

/** Ops whose value shares the memory of another one, or of the caller. */
const unowned = new Set(['input', 'constant', 'output', 'reshape', 'stopGradient', 'after', 'loopParameter']);

const bytesIn = ({ dtype, shape }: TensorType): number => bytesOf[dtype] * sizeOf(shape);
const bytes = (x: Expr): number => x.outputs.reduce((sum, type) => sum + bytesIn(type), 0);

/**
 * Nodes in the order in which the runtime executes them: depth first from the outputs, taking of a node's
 * inputs the last one in the file first. So the gradients of the last parameters come first, and each
 * block's activations are free before those of the block ahead of it are needed.
 */
const runOrder = (roots: readonly Expr[]): Expr[] => {
  const written = topological(roots);
  const place = new Map(written.map((x, at) => [x, at]));
  const read = new Set(written.flatMap(({ inputs }) => inputs));
  const stack = written.filter((x) => !read.has(x)).map((node) => ({ node, done: false }));
  const seen = new Set<Expr>();
  const order: Expr[] = [];
  for (let top = stack.pop(); top; top = stack.pop()) {
    if (top.done) order.push(top.node);
    else if (!seen.has(top.node)) {
      seen.add(top.node);
      stack.push({ node: top.node, done: true });
      const inputs = [...top.node.inputs].sort((a, b) => place.get(a)! - place.get(b)!);
      for (const node of inputs) if (!seen.has(node)) stack.push({ node, done: false });
    }
  }
  return order;
};

/**
 * Peak sum, in bytes, of values alive at once in the runtime's order, the bodies of loops included; inputs
 * and constants are not counted, nor are roots written into the caller's memory (`elsewhere`).
 */
export const peakBytes = (roots: readonly Expr[], elsewhere: ReadonlySet<Expr> = new Set()): number => {
  const order = runOrder(roots);
  const size = (x: Expr): number => (unowned.has(x.op.name) || elsewhere.has(x) ? 0 : bytes(x));
  const lastUse = new Map<Expr, number>();
  order.forEach((node, at) => {
    for (const x of [node, ...node.inputs]) lastUse.set(x, at);
  });
  for (const root of roots) lastUse.set(root, order.length);
  const ending = Map.groupBy(lastUse.keys(), (x) => lastUse.get(x)!);
  let [live, peak] = [0, 0];
  order.forEach((node, at) => {
    live += size(node);
    const body = bodyOf(node);
    peak = Math.max(
      peak,
      live + (body ? peakBytes(body.results) : (node.op.scratch?.(node.inputs, node.attrs as never) ?? 0)),
    );
    for (const x of ending.get(at) ?? []) live -= size(x);
  });
  return peak;
};

/** Bytes of the constants of a graph, which its session holds. */
export const constantBytes = (roots: readonly Expr[]): number =>
  topological(roots).reduce((sum, x) => sum + (x.op.name === 'constant' ? bytes(x) : 0), 0);

/**
 * Multiplications and additions of a graph's matrix products, the bodies of loops included: nearly all of its
 * arithmetic.
 */
export const matrixFlops = (roots: readonly Expr[]): number =>
  topological(roots).reduce((sum, x) => {
    const body = bodyOf(x);
    if (body) return sum + body.trips * matrixFlops(body.results);
    if (x.op.name === 'quantizedMatmul') return sum + 2 * x.inputs[0].type.shape[1] * sizeOf(x.type.shape);
    if (x.op.name !== 'matmul' && x.op.name !== 'gemm') return sum;
    const { shape } = x.inputs[0].type;
    const inner = (x.attrs as { readonly transA: boolean }).transA
      ? shape[shape.length - 2]
      : shape[shape.length - 1];
    return sum + 2 * inner * sizeOf(x.type.shape);
  }, 0);

/** The value of a graph that takes the most bytes; inputs and the bodies of loops count. */
export const largestValue = (
  roots: readonly Expr[],
): { readonly node: Expr; readonly type: TensorType; readonly bytes: number } | undefined =>
  topological(roots)
    .flatMap((node) => [
      ...node.outputs.map((type) => ({ node, type, bytes: bytesIn(type) })),
      ...[largestValue(bodyOf(node)?.results ?? [])].filter((x) => x !== undefined),
    ])
    .reduce<{ node: Expr; type: TensorType; bytes: number } | undefined>(
      (most, value) => (most && most.bytes >= value.bytes ? most : value),
      undefined,
    );
