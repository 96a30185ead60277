import { WhetstoneError } from '../common/errors.ts';
import { topological, type Expr } from './expr.ts';
import { bodyOf } from './ops/loop.ts';
import { inputName } from './ops/source.ts';
import { sameShape, show, type TensorType } from './types.ts';

const equalTypes = (a: TensorType, b: TensorType): boolean =>
  a.dtype === b.dtype && sameShape(a.shape, b.shape);

/**
 * Throws unless a graph is legal:
 * * every node's type is what its op infers from its inputs, with whole, non-negative lengths;
 * * a node with several outputs is read through `output` only, or as its first one, and `output` reads
 *   nothing else;
 * * inputs of one name have one type;
 * * a loop's parameters are used in its own body only, its state keeps its type, and its inputs match what
 *   the body captured;
 * * roots have the types they had before a pass (`expected`).
 */
export const verify = (roots: readonly Expr[], after: string, expected?: readonly TensorType[]): void =>
  verifyScope(roots, after, new Set(), new Set(), expected);

const verifyScope = (
  roots: readonly Expr[],
  after: string,
  visible: ReadonlySet<Expr>,
  leaves: ReadonlySet<Expr>,
  expected?: readonly TensorType[],
): void => {
  const fail = (node: Expr, reason: string): never => {
    throw new WhetstoneError(
      'internal',
      `The graph is not legal after ${after}: ${node.op.name} (${show(node.type)}) ${reason}.`,
      { where: `pass ${after}` },
    );
  };
  const inputs = new Map<string, Expr>();
  for (const node of topological(roots, leaves)) {
    if (leaves.has(node)) continue;
    const name = inputName(node);
    if (name !== undefined) {
      const before = inputs.get(name);
      if (before && before !== node) fail(node, `shares the name '${name}' with ${show(before.type)}`);
      inputs.set(name, node);
    }
    if (node.op.name === 'loopParameter' && !visible.has(node))
      fail(node, 'is used outside its loop; return it from the body as carried state or as a scan');
    verifyTypes(node, fail);
    verifyBody(node, after, visible, fail);
  }
  expected?.forEach((type, at) => {
    if (!equalTypes(type, roots[at].type)) fail(roots[at], `was ${show(type)} before`);
  });
};

const verifyTypes = (node: Expr, fail: (node: Expr, reason: string) => never): void => {
  const inferred = node.op.infer(node.inputs, node.attrs as never);
  const types = 'dtype' in inferred ? [inferred] : inferred;
  if (types.length !== node.outputs.length || !types.every((type, at) => equalTypes(type, node.outputs[at])))
    fail(node, `should be ${types.map(show).join(', ')}`);
  if (types.some(({ shape }) => shape.some((length) => !Number.isInteger(length) || length < 0)))
    fail(node, 'has an axis whose length is not a whole number');
  if (node.op.name === 'output' && node.inputs[0].op.name === 'output')
    fail(node, 'takes an output of an output');
};

const verifyBody = (
  node: Expr,
  after: string,
  visible: ReadonlySet<Expr>,
  fail: (node: Expr, reason: string) => never,
): void => {
  const body = bodyOf(node);
  if (!body) return;
  const carried = body.parameters.slice(2);
  const outer = [...carried, ...body.captured];
  if (
    node.inputs.length !== outer.length ||
    !outer.every((x, at) => equalTypes(x.type, node.inputs[at].type))
  )
    fail(node, 'is fed other types than its body reads');
  if (!carried.every((x, at) => equalTypes(x.type, body.results[1 + at].type)))
    fail(node, 'changes the type of its state');
  verifyScope(body.results, after, new Set([...visible, ...body.parameters]), new Set(body.captured));
};
