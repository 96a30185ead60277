import { rebuild, type Expr } from '../expr.ts';
import { rounded } from '../host.ts';
import { add, mul, sub } from '../ops/arithmetic.ts';
import { broadcastTo, reshape, transpose } from '../ops/movement.ts';
import { constant, constantData } from '../ops/source.ts';
import { sameShape, sizeOf } from '../types.ts';
import type { Rule } from './rewrite.ts';

/**
 * Larger results are computed by the graph: a folded constant is written into the model file. Room for a
 * causal mask of 256 tokens.
 */
const largestFolded = 65_536;
/** Repeating a value is cheaper than reading it. */
const largestRepeated = 256;

const valueOf = (x: Expr): number | undefined =>
  sizeOf(x.type.shape) === 1 ? constantData(x)?.[0] : undefined;
const isScalar = (x: Expr): boolean => x.type.shape.length === 0;

/**
 * Algebra that never changes a value beyond rounding, each rule with at most as many passes over memory as
 * before.
 */
const rules: Readonly<Record<string, Rule>> = {
  add: (node) => {
    const [a, b] = node.inputs;
    if (valueOf(b) === 0) return kept(a, node);
    if (valueOf(a) === 0) return kept(b, node);
    return b.op.name === 'neg' ? sub(a, b.inputs[0]) : undefined;
  },
  sub: (node) => {
    const [a, b] = node.inputs;
    if (valueOf(b) === 0) return kept(a, node);
    return b.op.name === 'neg' ? add(a, b.inputs[0]) : undefined;
  },
  mul: (node) => {
    const [a, b] = node.inputs;
    if (valueOf(b) === 1) return kept(a, node);
    if (valueOf(a) === 1) return kept(b, node);
    if (isScalar(a) && !isScalar(b)) return mul(b, a);
    // (x·s)·t = x·(s·t) for scalars: one pass over x.
    const [x, s] = a.op.name === 'mul' ? a.inputs : [];
    return s && isScalar(b) && isScalar(s) && !isScalar(x) ? mul(x, mul(s, b)) : undefined;
  },
  div: (node) => (valueOf(node.inputs[1]) === 1 ? kept(node.inputs[0], node) : undefined),
  neg: ({ inputs: [x] }) =>
    x.op.name === 'neg' ? x.inputs[0] : x.op.name === 'sub' ? sub(x.inputs[1], x.inputs[0]) : undefined,
  transpose: ({ inputs: [x], attrs }) => {
    if (x.op.name !== 'transpose') return undefined;
    const [outer, inner] = [(attrs as { perm: number[] }).perm, (x.attrs as { perm: number[] }).perm];
    return transpose(
      x.inputs[0],
      outer.map((axis) => inner[axis]),
    );
  },
  reshape: (node) =>
    node.inputs[0].op.name === 'reshape' ? reshape(node.inputs[0].inputs[0], node.type.shape) : undefined,
  broadcastTo: (node) =>
    node.inputs[0].op.name === 'broadcastTo'
      ? broadcastTo(node.inputs[0].inputs[0], node.type.shape)
      : undefined,
  // Gradients have been taken by now.
  stopGradient: ({ inputs: [x] }) => x,
  boundary: ({ inputs: [x] }) => x,
  droppable: ({ inputs: [x] }) => x,
};

const kept = (x: Expr, node: Expr): Expr | undefined =>
  sameShape(x.type.shape, node.type.shape) ? x : undefined;

const stretching = new Set([
  'add',
  'sub',
  'mul',
  'div',
  'maximum',
  'minimum',
  'pow',
  'where',
  'less',
  'equal',
  'and',
  'or',
]);

/** Removes a broadcast before an op that broadcasts its operands itself, which saves a copy. */
const unstretched: Rule = (node) => {
  if (!stretching.has(node.op.name) || !node.inputs.some((x) => x.op.name === 'broadcastTo'))
    return undefined;
  const inputs = node.inputs.map((x) => (x.op.name === 'broadcastTo' ? x.inputs[0] : x));
  const lean = rebuild(node, inputs);
  return sameShape(lean.type.shape, node.type.shape) ? lean : undefined;
};

const folded: Rule = (node) => {
  if (node.inputs.length === 0 || node.outputs.length > 1 || node.op.name === 'output') return undefined;
  if (sizeOf(node.type.shape) > (node.op.name === 'broadcastTo' ? largestRepeated : largestFolded))
    return undefined;
  const values = node.inputs.map((x) => constantData(x));
  if (values.some((data) => data === undefined)) return undefined;
  const value = node.op.eval(
    node.inputs.map((x, at) => ({ ...x.type, data: values[at]! })),
    node.attrs as never,
    node.outputs,
  );
  return 'data' in value ? constant(rounded(value).data, node.type) : undefined;
};

/** Constant folding and algebra. */
export const simplify: Rule = (node, use) =>
  folded(node, use) ?? rules[node.op.name]?.(node, use) ?? unstretched(node, use);
