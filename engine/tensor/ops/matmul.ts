import { defineOp, expectDType, host, type Expr, type HostTensor } from '../expr.ts';
import { broadcastStrides } from '../host.ts';
import { broadcastShapes, illegal, show, sizeOf, type Shape } from '../types.ts';
import { add } from './arithmetic.ts';
import { reshape } from './movement.ts';

export interface MatmulAttrs {
  readonly transA: boolean;
  readonly transB: boolean;
  readonly alpha: number;
}

const dims = (shape: Shape, trans: boolean): [rows: number, columns: number] => {
  const [rows, columns] = shape.slice(-2);
  return trans ? [columns, rows] : [rows, columns];
};

const productShape = (a: Shape, b: Shape, { transA, transB }: MatmulAttrs): number[] => {
  const [m, k] = dims(a, transA);
  const [k2, n] = dims(b, transB);
  if (a.length < 2 || b.length < 2 || k !== k2)
    throw illegal(
      'matmul',
      `[${a.join(', ')}]${transA ? 'ᵀ' : ''} and [${b.join(', ')}]${transB ? 'ᵀ' : ''} do not chain`,
    );
  return [...broadcastShapes('matmul', a.slice(0, -2), b.slice(0, -2)), m, n];
};

/** The product on the host in float64. */
export const product = (a: HostTensor, b: HostTensor, attrs: MatmulAttrs): HostTensor => {
  const shape = productShape(a.shape, b.shape, attrs);
  const [m, k] = dims(a.shape, attrs.transA);
  const n = shape[shape.length - 1];
  const [aRow, aColumn] = attrs.transA ? [1, m] : [k, 1];
  const [bRow, bColumn] = attrs.transB ? [1, k] : [n, 1];
  const batch = shape.slice(0, -2);
  const strides = [a, b].map((x) => broadcastStrides(x.shape.slice(0, -2), batch));
  const data = new Float64Array(sizeOf(shape));
  for (let at = 0; at < sizeOf(batch); at++) {
    let [rest, aAt, bAt] = [at, 0, 0];
    for (let axis = batch.length - 1; axis >= 0; axis--) {
      const index = rest % batch[axis];
      rest = Math.floor(rest / batch[axis]);
      aAt += index * strides[0][axis] * m * k;
      bAt += index * strides[1][axis] * k * n;
    }
    for (let i = 0; i < m; i++)
      for (let j = 0; j < n; j++) {
        let sum = 0;
        for (let l = 0; l < k; l++)
          sum += a.data[aAt + i * aRow + l * aColumn] * b.data[bAt + l * bRow + j * bColumn];
        data[(at * m + i) * n + j] = attrs.alpha * sum;
      }
  }
  return host({ dtype: 'float32', shape }, data);
};

const plain = { transA: false, transB: false, alpha: 1 };

const matmulOp = defineOp<MatmulAttrs>({
  name: 'matmul',
  infer: ([a, b], attrs) => {
    expectDType('matmul', a, 'float32');
    expectDType('matmul', b, 'float32');
    return { dtype: 'float32', shape: productShape(a.type.shape, b.type.shape, attrs) };
  },
  eval: ([a, b], attrs) => product(a, b, attrs),
  emit: (g, inputs, { transA, transB, alpha }, node) => {
    if (node.inputs.every((x) => x.type.shape.length === 2))
      return g.node('Gemm', inputs, {
        transA: Number(transA),
        transB: Number(transB),
        alpha: { float: alpha },
      });
    if (!transA && !transB && alpha === 1) return g.node('MatMul', inputs);
    return g.node(
      'FusedMatMul',
      inputs,
      { transA: Number(transA), transB: Number(transB), alpha: { float: alpha } },
      'com.microsoft',
    );
  },
  // With C = op(A)·op(B): dA = dC·op(B)ᵀ, dB = op(A)ᵀ·dC, each transposed back where its operand was.
  vjp: ({ inputs: [a, b], grad: g, attrs: { transA, transB, alpha } }) => [
    transA
      ? multiply(b, g, { transA: transB, transB: true, alpha })
      : multiply(g, b, { transA: false, transB: !transB, alpha }),
    transB
      ? multiply(g, a, { transA: true, transB: transA, alpha })
      : multiply(a, g, { transA: !transA, transB: false, alpha }),
  ],
  cases: [
    {
      shapes: [
        [3, 4],
        [4, 2],
      ],
      attrs: plain,
    },
    {
      shapes: [
        [4, 3],
        [4, 2],
      ],
      attrs: { ...plain, transA: true },
    },
    {
      shapes: [
        [3, 4],
        [2, 4],
      ],
      attrs: { ...plain, transB: true, alpha: 0.5 },
    },
    {
      shapes: [
        [4, 3],
        [2, 4],
      ],
      attrs: { transA: true, transB: true, alpha: -2 },
    },
    {
      shapes: [
        [2, 3, 3, 4],
        [2, 3, 4, 2],
      ],
      attrs: plain,
    },
    {
      shapes: [
        [2, 3, 4],
        [2, 2, 4],
      ],
      attrs: { ...plain, transB: true, alpha: 3 },
    },
    {
      shapes: [
        [2, 4, 3],
        [2, 4, 2],
      ],
      attrs: { ...plain, transA: true },
    },
    {
      shapes: [
        [2, 3, 4],
        [4, 2],
      ],
      attrs: plain,
    },
    {
      shapes: [
        [3, 4],
        [2, 4, 2],
      ],
      attrs: plain,
    },
    {
      shapes: [
        [2, 4, 3],
        [2, 2, 4],
      ],
      attrs: { ...plain, transA: true, transB: true },
    },
  ].map((c) => ({ ...c, tolerance: 5e-6 })),
});

/** A batch of rows against one matrix is one matrix product. */
const multiply = (a: Expr, b: Expr, attrs: MatmulAttrs): Expr => {
  const { shape } = a.type;
  if (b.type.shape.length !== 2 || shape.length <= 2 || attrs.transA) return matmulOp([a, b], attrs);
  const rows = matmulOp([reshape(a, [sizeOf(shape.slice(0, -1)), shape[shape.length - 1]]), b], attrs);
  return reshape(rows, [...shape.slice(0, -1), rows.type.shape[1]]);
};

/**
 * alpha · op(a) op(b) over the last two axes, [..., M, K] × [..., K, N] → [..., M, N]; leading axes
 * broadcast. `transposeA` and `transposeB` read an operand as if its last two axes changed places, at no
 * cost.
 */
export const matmul = (a: Expr, b: Expr, { transposeA = false, transposeB = false, alpha = 1 } = {}): Expr =>
  multiply(a, b, { transA: transposeA, transB: transposeB, alpha });

const gemmOp = defineOp<MatmulAttrs>({
  name: 'gemm',
  infer: ([a, b, c], attrs) => {
    const shape = productShape(a.type.shape, b.type.shape, attrs);
    if (shape.length !== 2 || broadcastShapes('gemm', shape, c.type.shape).join() !== shape.join())
      throw illegal('gemm', `${show(c.type)} does not stretch to [${shape.join(', ')}]`);
    return { dtype: 'float32', shape };
  },
  eval: ([a, b, c], attrs) => {
    const y = product(a, b, attrs);
    const strides = broadcastStrides(c.shape, y.shape);
    return host(
      y,
      y.data.map(
        (value, at) =>
          value + c.data[Math.floor(at / y.shape[1]) * strides[0] + (at % y.shape[1]) * strides[1]],
      ),
    );
  },
  emit: (g, inputs, { transA, transB, alpha }) =>
    g.node('Gemm', inputs, { transA: Number(transA), transB: Number(transB), alpha: { float: alpha } }),
  vjp: ({ inputs: [a, b, c], output, grad, attrs }) => [
    ...(matmulOp.definition.vjp === 'none'
      ? []
      : matmulOp.definition.vjp({ inputs: [a, b], output, grad, grads: [grad], attrs })),
    c && grad,
  ],
  cases: [
    { shapes: [[3, 4], [4, 2], [2]], attrs: plain, tolerance: 5e-6 },
    {
      shapes: [
        [3, 4],
        [2, 4],
        [3, 2],
      ],
      attrs: { ...plain, transB: true },
      tolerance: 5e-6,
    },
  ],
});
/** a·b + c of matrices in one node; `fuse` makes it from a product followed by a sum. */
export const gemm = (a: Expr, b: Expr, c: Expr, attrs: MatmulAttrs): Expr => gemmOp([a, b, c], attrs);

/** x·w + b: x[..., K], w[K, N], b[N]. */
export const linear = (x: Expr, w: Expr, b: Expr): Expr => add(matmul(x, w), b);

export const matmulOps = [matmulOp, gemmOp];
