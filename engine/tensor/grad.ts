import { topological, type Expr } from './expr.ts';
import { add } from './ops/arithmetic.ts';
import { full } from './ops/movement.ts';
import { producer } from './ops/source.ts';
import { sumTo } from './ops/reduce.ts';
import { illegal, show } from './types.ts';

/**
 * Gradient of a scalar loss by each of `wrt` (any float expressions of its graph, not only inputs), in reverse mode.
 * Only nodes between `wrt` and the loss are walked. What the loss does not depend on has gradient 0.
 */
export const grad = (loss: Expr, wrt: readonly Expr[]): Expr[] => {
  if (loss.type.dtype !== 'float32' || loss.type.shape.length !== 0) throw illegal('grad', `the loss is ${show(loss.type)}; a float32 scalar is needed`);
  for (const x of wrt) if (x.type.dtype !== 'float32') throw illegal('grad', `${show(x.type)} has no gradient`);
  const order = topological([loss]);
  const targets = new Set(wrt);
  const active = new Set<Expr>();
  for (const x of order) if (targets.has(x) || (x.op.vjp !== 'none' && x.inputs.some((y) => active.has(y)))) active.add(x);

  // One slot per output of a node; an `output` expression is the slot of its producer.
  const slots = new Map<Expr, (Expr | undefined)[]>();
  const accumulate = (x: Expr, value: Expr): void => {
    const { node, index } = producer(x);
    const held = slots.get(node) ?? slots.set(node, new Array<Expr | undefined>(node.outputs.length).fill(undefined)).get(node)!;
    const before = held[index];
    held[index] = before ? add(before, value) : value;
  };
  accumulate(loss, full(1, []));
  for (const node of order.toReversed()) {
    const grads = slots.get(node);
    const { vjp } = node.op;
    if (!grads || !active.has(node) || vjp === 'none') continue;
    const output = node;
    const first = grads[0] ?? full(0, node.type.shape);
    vjp({ inputs: node.inputs, output, grad: first, grads, attrs: node.attrs as never }).forEach((g, at) => {
      const x = node.inputs[at];
      if (g && active.has(x)) accumulate(x, sumTo(g, x.type.shape));
    });
  }
  return wrt.map((x) => {
    const { node, index } = producer(x);
    return slots.get(node)?.[index] ?? full(0, x.type.shape);
  });
};
