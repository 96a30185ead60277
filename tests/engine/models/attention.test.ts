/**
 * Attention over sequences longer than one block of queries, compared with the full product of all queries
 * and all keys.
 */
import { describe, expect, it } from 'vitest';
import { sequenceAttention, sharedAttention } from '../../../engine/models/blocks/attention.ts';
import type { AttentionRule, Projected } from '../../../engine/models/blocks/attention-types.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import {
  add,
  concat,
  constant,
  gather,
  grad,
  greater,
  input,
  iota,
  matmul,
  mul,
  or,
  reshape,
  scalar,
  softmax,
  sub,
  sum,
  tanh,
  transpose,
  where,
  type Expr,
} from '../../../engine/tensor/index.ts';
import { randomFloats, worstError } from '../../support/tensors.ts';

const f32 = (...shape: number[]) => ({ dtype: 'float32' as const, shape });
const [B, T, heads, size] = [2, 300, 4, 8];

/** The full matrix of scores, with keys and values repeated for the heads that share them. */
const whole = (
  query: Expr,
  key: Expr,
  value: Expr,
  kvHeads: number,
  { scale, cap, window }: AttentionRule,
): Expr => {
  const apart = (x: Expr, count: number) => transpose(reshape(x, [B, T, count, size]), [0, 2, 1, 3]);
  const shared = (x: Expr) =>
    reshape(
      concat(Array<Expr>(heads / kvHeads).fill(reshape(apart(x, kvHeads), [B, kvHeads, 1, T, size])), 2),
      [B, heads, T, size],
    );
  const raw = matmul(apart(query, heads), shared(key), { transposeB: true, alpha: scale });
  const scores = cap === null ? raw : mul(tanh(mul(raw, 1 / cap)), cap);
  const [from, to] = [reshape(iota(T), [T, 1]), reshape(iota(T), [1, T])];
  const unseen = or(greater(to, from), greater(sub(from, to), (window ?? T) - 1));
  const read = matmul(softmax(add(scores, where(unseen, scalar(-1e9), scalar(0)))), shared(value));
  return reshape(transpose(read, [0, 2, 1, 3]), [B * T, heads * size]);
};

const plain: AttentionRule = { scale: 1 / Math.sqrt(size), cap: null, window: null };

/** Values of y, and the gradients of its product with `upstream` with respect to the inputs. */
const results = async (y: Expr, inputs: readonly Expr[]) => {
  const upstream = input('upstream', y.type);
  const [q_, k_, v_] = grad(sum(mul(y, upstream)), inputs);
  const device = await openDevice({ id: 'cpu', threads: 1 });
  const program = await device.compile({ name: 'attention', outputs: { y, q_, k_, v_ } });
  const made = await program.run(
    Object.fromEntries(
      [...inputs, upstream].map(({ type }, at) => [
        ['q', 'k', 'v', 'upstream'][at],
        randomFloats(at, type.shape),
      ]),
    ),
  );
  await device.close();
  return made;
};

describe.each<[string, number, boolean, AttentionRule]>([
  ['joint projections', heads, true, plain],
  ['heads that share keys', 2, false, plain],
  ['a window and a soft cap', 2, false, { scale: 0.4, cap: 3, window: 140 }],
])('of %s', (_, kvHeads, joint, rule) => {
  const projected = (q: Expr, k: Expr, v: Expr): Projected =>
    joint ? { joint: concat([q, k, v], 1) } : { query: q, key: k, value: v };
  const inputs = (rows: number) =>
    [heads, kvHeads, kvHeads].map((count, at) => input('qkv'[at], f32(rows, count * size)));
  const same = async (found: Expr, wanted: Expr, by: readonly Expr[]) => {
    const [made, expected] = [await results(found, by), await results(wanted, by)];
    for (const name of Object.keys(expected))
      expect(worstError(made[name] as Float32Array, expected[name] as Float32Array), name).toBeLessThan(1e-4);
  };

  it('gives the values and gradients of the full matrix', async () => {
    const [q, k, v] = inputs(B * T);
    await same(
      sequenceAttention(projected(q, k, v), { B, T }, { heads, kvHeads, size }, rule).read,
      whole(q, k, v, kvHeads, rule),
      [q, k, v],
    );
  });

  it.each([
    [1, 150],
    [2, 37],
  ])('gives those of separate sequences when they share a prefix (%d groups, %d positions)', async (G, Q) => {
    const U = T - Q;
    const S = B / G;
    const own = G * Q;
    const [q, k, v] = inputs(own + B * U);
    // position t of sequence b within the prefixes and suffixes
    const place = (b: number, t: number) => (t < Q ? Math.floor(b / S) * Q + t : own + b * U + t - Q);
    const at = Int32Array.from({ length: B * T }, (_x, row) => place(Math.floor(row / T), row % T));
    const [query, key, value] = [q, k, v].map((x) =>
      gather(x, constant(at, { dtype: 'int32', shape: [B * T] })),
    );
    const first = Int32Array.from({ length: own + B * U }, (_x, row) => at.indexOf(row));
    const read = gather(
      whole(query, key, value, kvHeads, rule),
      constant(first, { dtype: 'int32', shape: [first.length] }),
    );
    await same(sharedAttention(projected(q, k, v), { G, S, Q, U }, { heads, kvHeads, size }, rule), read, [
      q,
      k,
      v,
    ]);
  });
});
