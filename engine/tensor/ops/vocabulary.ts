import { defineOp, expectDType, host, type Emitter, type Expr } from '../expr.ts';
import { illegal, show, type TensorType } from '../types.ts';
import { add, exp, minimum, mul, neg, sub } from './arithmetic.ts';
import { gather, scatterRows } from './indexing.ts';
import { concat, slice } from './joining.ts';
import { matmul } from './matmul.ts';
import { reshape } from './movement.ts';
import { outputOf } from './source.ts';

interface VocabularyAttrs {
  /** Rows of the table multiplied at once. */
  readonly chunk: number;
  readonly entropy: boolean;
}

/** First and last row (exclusive) of each block of the table. */
const blocks = (rows: number, chunk: number): (readonly [from: number, to: number])[] =>
  Array.from({ length: Math.ceil(rows / chunk) }, (_, at) => [at * chunk, Math.min(rows, (at + 1) * chunk)]);

const int64 = (g: Emitter, ...values: number[]): string =>
  g.tensor({ dtype: 'int64', shape: [values.length] }, values);
const column = (g: Emitter, x: string): string => g.node('Slice', [x, int64(g, 0), int64(g, 1), int64(g, 1)]);
/**
 * log Σ eˣ of each row of x [N, C] → [N, 1], and log-softmax, by a vectorised pass of the runtime: lse = x₀
 * − logSoftmax(x)₀.
 */
const rowsOf = (g: Emitter, x: string): { lse: string; logSoftmax: string } => {
  const logSoftmax = g.node('LogSoftmax', [x], { axis: -1 });
  return { lse: g.node('Sub', [column(g, x), column(g, logSoftmax)]), logSoftmax };
};
const rowSum = (g: Emitter, a: string, b: string): string =>
  g.node('ReduceSum', [g.node('Mul', [a, b]), int64(g, 1)], { keepdims: 1 });

const emitBlocks = (
  g: Emitter,
  [hidden, table, ids]: readonly string[],
  { chunk, entropy }: VocabularyAttrs,
  node: Expr,
): string[] => {
  const [N] = node.type.shape;
  const parts = blocks(node.inputs[1].type.shape[0], chunk).map(([from, to]) => {
    const rows = g.node('Slice', [table, int64(g, from), int64(g, to), int64(g, 0)]);
    const logits = g.node('Gemm', [hidden, rows], { transB: 1 });
    const { lse, logSoftmax } = rowsOf(g, logits);
    return { lse, meanLogp: entropy ? rowSum(g, g.node('Exp', [logSoftmax]), logSoftmax) : '' };
  });
  const all = rowsOf(
    g,
    g.node(
      'Concat',
      parts.map(({ lse }) => lse),
      { axis: 1 },
    ),
  );
  const flat = (x: string) => g.node('Reshape', [x, int64(g, N)]);
  const lse = flat(all.lse);
  const picked = flat(rowSum(g, hidden, g.node('Gather', [table, ids], { axis: 0 })));
  // Both come from separate sums: rounding must not push the probability of a near-certain token above 1.
  const logp = g.node('Min', [g.node('Sub', [picked, lse]), g.tensor({ dtype: 'float32', shape: [] }, [0])]);
  if (!entropy) return [logp, lse];
  // A block's share of probability has the logarithm all.logSoftmax; within it a token's log-probability is
  // the block's own plus that.
  const means = g.node('Add', [
    g.node(
      'Concat',
      parts.map(({ meanLogp }) => meanLogp),
      { axis: 1 },
    ),
    all.logSoftmax,
  ]);
  return [logp, lse, g.node('Neg', [flat(rowSum(g, g.node('Exp', [all.logSoftmax]), means))])];
};

const vocabularyOp = defineOp<VocabularyAttrs>({
  name: 'vocabularyLogp',
  infer: ([hidden, table, ids], { chunk, entropy }) => {
    expectDType('vocabularyLogp', hidden, 'float32');
    expectDType('vocabularyLogp', table, 'float32');
    expectDType('vocabularyLogp', ids, 'int32', 'int64');
    const [h, t] = [hidden.type.shape, table.type.shape];
    if (h.length !== 2 || t.length !== 2 || h[1] !== t[1] || ids.type.shape.join() !== `${h[0]}`)
      throw illegal(
        'vocabularyLogp',
        `${show(hidden.type)}, ${show(table.type)} and ${show(ids.type)} are not [N, D], [V, D] and [N]`,
      );
    if (!(Number.isInteger(chunk) && chunk >= 1)) throw illegal('vocabularyLogp', `a block of ${chunk} rows`);
    const row: TensorType = { dtype: 'float32', shape: [h[0]] };
    return entropy ? [row, row, row] : [row, row];
  },
  eval: ([hidden, table, ids], _, outputs) => {
    const [N, D] = hidden.shape;
    const [V] = table.shape;
    const all = outputs.map((type) => host(type, new Float64Array(N)));
    for (let n = 0; n < N; n++) {
      const logits = Float64Array.from({ length: V }, (_x, v) => {
        let z = 0;
        for (let d = 0; d < D; d++) z += hidden.data[n * D + d] * table.data[v * D + d];
        return z;
      });
      const top = Math.max(...logits);
      const lse = top + Math.log(logits.reduce((total, z) => total + Math.exp(z - top), 0));
      const entropy = logits.reduce((total, z) => total - Math.exp(z - lse) * (z - lse), 0);
      [logits[ids.data[n]] - lse, lse, entropy].slice(0, all.length).forEach((value, at) => {
        all[at].data[n] = value;
      });
    }
    return all;
  },
  emit: (g, inputs, attrs, node) => emitBlocks(g, inputs, attrs, node),
  // one block: its rows of the table, its logits, their log-softmax, and for the entropy their exponentials
  // and the product of both
  scratch: ([hidden], { chunk, entropy }) =>
    4 * chunk * (hidden.type.shape[1] + (entropy ? 4 : 2) * hidden.type.shape[0]),
  /**
   * With log-probabilities ℓ = z − lse, p = exp ℓ and entropy H: d logp/dz = one-hot − p and d H/dz = −p·(ℓ
   * + H). Each block's z is computed again from hidden and table, so that at most one block of [N, chunk] is
   * in memory.
   */
  vjp: ({ inputs: [hidden, table, ids], output, grads: [ofLogp, ofLse, ofEntropy], attrs: { chunk } }) => {
    if (ofLse) throw illegal('vocabularyLogp', 'the normalizer has no gradient');
    const columnOf = (x: Expr) => reshape(x, [hidden.type.shape[0], 1]);
    const lse = columnOf(outputOf(output, 1));
    // The factor of p in dz: base − (gradient with respect to the entropy)·ℓ.
    const base = columnOf(
      [ofLogp && neg(ofLogp), ofEntropy && neg(mul(ofEntropy, outputOf(output, 2)))]
        .filter((x) => x !== undefined)
        .reduce(add),
    );
    // Without entropy that factor is one number per row: it is applied to the narrow side of both products.
    const factored = ofEntropy ? undefined : mul(hidden, base);
    const parts = blocks(table.type.shape[0], chunk).map(([from, to]) => {
      const rows = slice(table, 0, from, to);
      const logp = sub(matmul(hidden, rows, { transposeB: true }), lse);
      const slope = ofEntropy
        ? mul(exp(minimum(logp, 0)), sub(base, mul(minimum(logp, 0), columnOf(ofEntropy))))
        : exp(logp);
      return { hidden: matmul(slope, rows), rows: matmul(slope, factored ?? hidden, { transposeA: true }) };
    });
    const through = parts.map((part) => part.hidden).reduce((a, b) => add(a, b));
    const spread = {
      hidden: factored ? mul(through, base) : through,
      table: concat(
        parts.map((part) => part.rows),
        0,
      ),
    };
    if (!ofLogp) return [spread.hidden, spread.table, undefined];
    const picked = columnOf(ofLogp);
    return [
      add(spread.hidden, mul(gather(table, ids), picked)),
      add(spread.table, scatterRows(ids, mul(hidden, picked), table.type.shape[0])),
      undefined,
    ];
  },
  cases: [
    {
      shapes: [[3, 4], [7, 4], [3]],
      attrs: { chunk: 3, entropy: false },
      kinds: { 2: [0, 7] },
      tolerance: 1e-5,
      through: [0],
    },
    {
      shapes: [[3, 4], [6, 4], [3]],
      attrs: { chunk: 2, entropy: true },
      kinds: { 2: [0, 6] },
      tolerance: 1e-5,
      through: [0, 2],
    },
    {
      shapes: [[2, 3], [5, 3], [2]],
      attrs: { chunk: 8, entropy: true },
      kinds: { 2: [0, 5] },
      tolerance: 1e-5,
      through: [2],
    },
    // logits of hundreds, as at low temperatures: some blocks have negligible probability
    {
      shapes: [[3, 4], [7, 4], [3]],
      attrs: { chunk: 2, entropy: true },
      range: [-14, 14],
      kinds: { 2: [0, 7] },
      tolerance: 1e-5,
      through: [0, 2],
    },
    {
      shapes: [[2, 3], [5, 3], [2]],
      attrs: { chunk: 5, entropy: false },
      range: [-6, 6],
      kinds: { 2: [0, 5] },
      tolerance: 1e-5,
      through: [0],
    },
  ],
});

/** Numbers of one block of logits: 32 MB in float32. */
const BLOCK = 2 ** 23;

const applied = (hidden: Expr, table: Expr, ids: Expr, entropy: boolean): Expr =>
  vocabularyOp([hidden, table, ids], {
    chunk: Math.max(1, Math.min(table.type.shape[0], Math.floor(BLOCK / Math.max(1, hidden.type.shape[0])))),
    entropy,
  });

/**
 * tokenLogp(hidden · tableᵀ, ids), and optionally the entropy of each distribution, for logits [N, V] too
 * large to hold: they are made block by block over the vocabulary, forward and again backward, as in
 * arXiv:2411.09009. hidden[N, D], table[V, D], ids[N] → [N] each.
 */
export const vocabularyLogp = (hidden: Expr, table: Expr, ids: Expr): Expr =>
  outputOf(applied(hidden, table, ids, false), 0);
export const vocabularyEntropy = (
  hidden: Expr,
  table: Expr,
  ids: Expr,
): { readonly picked: Expr; readonly entropy: Expr } => {
  const node = applied(hidden, table, ids, true);
  return { picked: outputOf(node, 0), entropy: outputOf(node, 2) };
};

export const vocabularyOps = [vocabularyOp];
