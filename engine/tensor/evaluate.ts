import { host, topological, type Expr, type HostTensor } from './expr.ts';
import { inputName, producer } from './ops/source.ts';
import { illegal } from './types.ts';

/**
 * Evaluates expressions in float64 on the host: the meaning of a graph, and the oracle of the tests. `feeds`
 * hold inputs by name; `bound` overrides the values of nodes.
 */
export const evaluate = (
  roots: readonly Expr[],
  feeds: Readonly<Record<string, ArrayLike<number>>>,
  bound: ReadonlyMap<Expr, HostTensor> = new Map(),
): HostTensor[] => {
  const values = new Map<Expr, readonly HostTensor[]>();
  const valueOf = (x: Expr): HostTensor => {
    const { node, index } = producer(x);
    return values.get(node)![index];
  };
  for (const node of topological(roots, bound)) {
    const name = inputName(node);
    const given = bound.get(node);
    if (given) values.set(node, [given]);
    else if (name !== undefined) {
      if (!(name in feeds)) throw illegal('evaluate', `nothing is fed for input '${name}'`);
      values.set(node, [host(node.type, feeds[name])]);
    } else if (node.op.name !== 'output') {
      const result = node.op.eval(node.inputs.map(valueOf), node.attrs as never, node.outputs);
      values.set(node, 'data' in result ? [result] : result);
    }
  }
  return roots.map((root) => (bound.has(root) ? values.get(root)![0] : valueOf(root)));
};
