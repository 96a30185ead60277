import { WhetstoneError } from '../common/errors.ts';
import type { Emitter, Expr, NodeAttr } from '../tensor/expr.ts';
import { sizeOf } from '../tensor/types.ts';

/**
 * Kinds of device that graphs are written for. They differ in the nodes that have a kernel, and a fast one;
 * `plain` is any other device that the host feeds.
 */
export type Target = 'cpu' | 'plain' | 'webgpu';

type Attrs = Readonly<Record<string, NodeAttr>>;
/**
 * A node as an op writes it, with its number of outputs: `names` are the input names of `node`, the
 * expression being written.
 */
export interface Written {
  readonly inputs: readonly string[];
  readonly outputs: number;
  readonly attrs: Attrs;
  readonly node: Expr;
  readonly names: readonly string[];
}
/**
 * Writes the same values with nodes that the target has, and returns one name per output; undefined keeps
 * the original node.
 */
export type Replacement = (g: Emitter, written: Written) => readonly string[] | undefined;

const axesOf = (g: Emitter, axis: NodeAttr): string =>
  g.tensor({ dtype: 'int64', shape: [1] }, [axis as number]);
const scalar = (g: Emitter, value: number): string => g.tensor({ dtype: 'float32', shape: [] }, [value]);

/**
 * x − max − log Σ exp(x − max): four passes on the device are far cheaper than a copy of the logits to the
 * host and back.
 */
const logSoftmax: Replacement = (g, { inputs: [x], attrs: { axis = -1 } }) => {
  const centred = g.node('Sub', [x, g.node('ReduceMax', [x, axesOf(g, axis)], { keepdims: 1 })]);
  const total = g.node('ReduceSum', [g.node('Exp', [centred]), axesOf(g, axis)], { keepdims: 1 });
  return [g.node('Sub', [centred, g.node('Log', [total])])];
};

const transposed = (g: Emitter, x: string, rank: number): string =>
  g.node('Transpose', [x], {
    perm: Array.from({ length: rank }, (_, axis) => (axis < rank - 2 ? axis : 2 * rank - 3 - axis)),
  });

/** The transposes as nodes of their own, and the factor on the product. */
const fusedMatMul: Replacement = (g, { inputs, attrs: { transA, transB, alpha }, node, names }) => {
  const ranks = inputs.map((x) => node.inputs[names.indexOf(x)]?.type.shape.length);
  if (ranks.includes(undefined as never)) return undefined;
  const product = g.node(
    'MatMul',
    inputs.map((x, at) => ([transA, transB][at] ? transposed(g, x, ranks[at]) : x)),
  );
  const factor = typeof alpha === 'object' && 'float' in alpha ? alpha.float : 1;
  return [factor === 1 ? product : g.node('Mul', [product, scalar(g, factor)])];
};

/**
 * A shader binds only a few buffers, so one Split into many parts (a model's parameters, cut from one array)
 * would be refused: each part is sliced on its own.
 */
const mostParts = 6;
const split: Replacement = (g, { inputs: [x], attrs: { axis = 0 }, node: { outputs } }) => {
  if (outputs.length <= mostParts) return undefined;
  const vector = (value: number): string => g.tensor({ dtype: 'int64', shape: [1] }, [value]);
  let at = 0;
  return outputs.map(({ shape }) => {
    const start = at;
    at += shape[axis as number];
    return g.node('Slice', [x, vector(start), vector(at), vector(axis as number)]);
  });
};

/**
 * The kernel does not write its second output (seen with version 1.30.0), so the inverse root mean square is
 * computed separately.
 */
const rmsNorm: Replacement = (
  g,
  {
    inputs,
    outputs,
    attrs,
    node: {
      inputs: [
        {
          type: { shape },
        },
      ],
    },
  },
) => {
  if (outputs === 1) return undefined;
  const [x] = inputs;
  const epsilon = typeof attrs.epsilon === 'object' && 'float' in attrs.epsilon ? attrs.epsilon.float : 0;
  const squares = g.node('ReduceSumSquare', [x, axesOf(g, shape.length - 1)], { keepdims: 1 });
  const mean = g.node('Mul', [squares, scalar(g, 1 / shape[shape.length - 1])]);
  const root = g.node('Sqrt', [g.node('Add', [mean, scalar(g, epsilon)])]);
  return [g.node('SimplifiedLayerNormalization', inputs, attrs), g.node('Div', [scalar(g, 1), root])];
};

/** Number of elements from which a node that shares a pass among threads pays off. */
const large = 65_536;

/**
 * The kernel first copies the addend into its output on one thread; a separate Add by all threads takes half
 * as long.
 */
const addedAfter: Replacement = (g, { inputs: [a, b, c], attrs, node }) =>
  c === undefined || sizeOf(node.type.shape) < large
    ? undefined
    : [g.node('Add', [g.node('Gemm', [a, b], attrs), c])];

/**
 * Column sums as a product with a row of ones: twice as fast. It adds row by row, which is exact enough for
 * some thousands of rows.
 */
const mostRows = 16_384;
const columnSums: Replacement = (g, { inputs: [x], node }) => {
  const {
    op: { name },
    inputs: [
      {
        type: { dtype, shape },
      },
    ],
    attrs,
    type,
  } = node;
  if (name !== 'sum' || dtype !== 'float32') return undefined;
  const { axes } = attrs as { readonly axes: readonly number[] };
  const rows = sizeOf(shape.slice(0, axes.length));
  const columns = sizeOf(shape.slice(axes.length));
  if (axes.some((axis, at) => axis !== at) || rows > mostRows || columns < 64 || rows * columns < large)
    return undefined;
  const int64 = (values: readonly number[]): string =>
    g.tensor({ dtype: 'int64', shape: [values.length] }, values);
  const ones = g.tensor({ dtype: 'float32', shape: [1, rows] }, new Float32Array(rows).fill(1));
  return [
    g.node('Reshape', [
      g.node('Gemm', [ones, g.node('Reshape', [x, int64([rows, columns])])]),
      int64(type.shape),
    ]),
  ];
};

/**
 * Kernels of other devices give different values in some cases (seen on WebGPU with version 1.30.0), so this
 * op is refused there.
 */
const onCpuAlone: Replacement = (
  _g,
  {
    node: {
      op: { name },
    },
  },
) => {
  throw new WhetstoneError(
    'unsupported',
    `'${name}' is computed on the CPU alone; this device's own kernel gives wrong values in some cases.`,
    { where: name, hint: 'Choose the CPU, or attention over whole sequences.' },
  );
};

/**
 * Replacements by ONNX type for nodes that a target lacks, runs slowly, or gets wrong. All other nodes are
 * written unchanged.
 */
export const replacements: { readonly [T in Target]: Readonly<Record<string, Replacement>> } = {
  cpu: { Gemm: addedAfter, ReduceSum: columnSums },
  plain: { GroupQueryAttention: onCpuAlone },
  webgpu: {
    GroupQueryAttention: onCpuAlone,
    LogSoftmax: logSoftmax,
    FusedMatMul: fusedMatMul,
    Split: split,
    SimplifiedLayerNormalization: rmsNorm,
  },
};
