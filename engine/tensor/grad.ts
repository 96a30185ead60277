import { rebuild, topological, type Expr } from './expr.ts';
import { add } from './ops/arithmetic.ts';
import { after } from './ops/marks.ts';
import { full } from './ops/movement.ts';
import { producer } from './ops/source.ts';
import { sumTo } from './ops/reduce.ts';
import { illegal, sameShape, show } from './types.ts';

/**
 * Gradient of a scalar loss with respect to each of `wrt` (any float expressions of its graph, not only
 * inputs), in reverse mode. Only nodes between `wrt` and the loss are walked. The gradient is 0 for
 * expressions that the loss does not depend on.
 *
 * `recompute` turns on gradient checkpointing (arXiv:1604.06174): only the values at boundaries (`boundary`)
 * are kept, and those between two boundaries are computed again in the backward pass. It saves memory for
 * about a third more time, and gives the same values.
 */
export const grad = (loss: Expr, wrt: readonly Expr[], { recompute = false } = {}): Expr[] => {
  if (loss.type.dtype !== 'float32' || loss.type.shape.length !== 0)
    throw illegal('grad', `the loss is ${show(loss.type)}; a float32 scalar is needed`);
  for (const x of wrt)
    if (x.type.dtype !== 'float32') throw illegal('grad', `${show(x.type)} has no gradient`);
  const order = topological([loss]);
  const targets = new Set(wrt);
  const active = new Set<Expr>();
  for (const x of order)
    if (targets.has(x) || (x.op.vjp !== 'none' && x.inputs.some((y) => active.has(y)))) active.add(x);

  // One slot per output of a node; an `output` expression is the slot of its producer.
  const slots = new Map<Expr, (Expr | undefined)[]>();
  const accumulate = (x: Expr, value: Expr): void => {
    const { node, index } = producer(x);
    const held =
      slots.get(node) ??
      slots.set(node, new Array<Expr | undefined>(node.outputs.length).fill(undefined)).get(node)!;
    const before = held[index];
    held[index] = before ? add(before, value) : value;
  };
  accumulate(loss, full(1, []));
  const again = recompute ? recomputed(order, (x) => slots.get(x)?.[0]) : (x: Expr): Expr => x;
  for (const node of order.toReversed()) {
    const grads = slots.get(node);
    const { vjp } = node.op;
    if (!grads || !active.has(node) || vjp === 'none') continue;
    const first = grads[0] ?? full(0, node.type.shape);
    const output = again(node);
    vjp({
      inputs: output === node ? node.inputs : output.inputs,
      output,
      grad: first,
      grads,
      attrs: node.attrs as never,
    }).forEach((g, at) => {
      const x = node.inputs[at];
      if (g && active.has(x)) accumulate(x, sumTo(g, x.type.shape));
    });
  }
  return wrt.map((x) => {
    const { node, index } = producer(x);
    return slots.get(node)?.[index] ?? full(0, x.type.shape);
  });
};

/**
 * The last boundary before each node, and the boundaries that follow a boundary directly. Each network in
 * one loss has its own chain.
 */
const stretchesOf = (
  order: readonly Expr[],
): { readonly behind: ReadonlyMap<Expr, Expr>; readonly next: ReadonlyMap<Expr, readonly Expr[]> } => {
  const place = new Map(order.map((x, at) => [x, at]));
  const behind = new Map<Expr, Expr>();
  const next = new Map<Expr, Expr[]>();
  for (const x of order) {
    const ahead = x.inputs
      .flatMap((y) => behind.get(y) ?? [])
      .reduce<Expr | undefined>(
        (last, y) => (last && place.get(last)! > place.get(y)! ? last : y),
        undefined,
      );
    if (x.op.name === 'boundary') {
      behind.set(x, x);
      if (ahead) next.set(ahead, [...(next.get(ahead) ?? []), x]);
    } else if (ahead) behind.set(x, ahead);
  }
  return { behind, next };
};

/**
 * Nodes as the backward pass reads them: those between two boundaries are rebuilt on the first one, which
 * waits for the gradient of the second, so that the runtime cannot compute them earlier and keep them. Nodes
 * before the first boundary of a chain or after its last are not rebuilt, nor are other inputs of a rebuilt
 * stretch. `gradOf` gives the gradient of a boundary, which is complete before any node ahead of it is
 * differentiated.
 */
const recomputed = (order: readonly Expr[], gradOf: (x: Expr) => Expr | undefined): ((x: Expr) => Expr) => {
  const { behind, next } = stretchesOf(order);
  const made = new Map<Expr, Expr>();
  const build = (x: Expr, from: Expr): Expr => {
    if (behind.get(x) !== from) return x;
    const known = made.get(x);
    if (known) return known;
    const fresh =
      x === from
        ? waiting(x)
        : rebuild(
            x,
            x.inputs.map((y) => build(y, from)),
          );
    made.set(x, fresh);
    return fresh;
  };
  // nothing walked depends on a boundary whose successor has no gradient; and only an equal shape can be
  // waited for
  const waiting = (from: Expr): Expr =>
    (next.get(from) ?? [])
      .flatMap((x) => gradOf(x) ?? [])
      .filter(({ type }) => sameShape(type.shape, from.type.shape))
      .reduce(after, from);
  return (x) => {
    const from = behind.get(x);
    return !from || x === from || !next.has(from) ? x : build(x, from);
  };
};
