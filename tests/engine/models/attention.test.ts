/** Attention over sequences that are longer than one block of queries, beside the product of all queries with all keys. */
import { expect, it } from 'vitest';
import { sequenceAttention } from '../../../engine/models/blocks/attention.ts';
import type { AttentionRule, Projected } from '../../../engine/models/families/family.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import { add, concat, grad, greater, input, iota, matmul, mul, or, reshape, scalar, softmax, sub, sum, tanh, transpose, where, type Expr } from '../../../engine/tensor/index.ts';
import { randomFloats, worstError } from '../../support/tensors.ts';

const f32 = (...shape: number[]) => ({ dtype: 'float32' as const, shape });
const [B, T, heads, size] = [2, 300, 4, 8];

/** The whole square of scores, keys and values repeated for the heads that share them. */
const whole = (query: Expr, key: Expr, value: Expr, kvHeads: number, { scale, cap, window }: AttentionRule): Expr => {
  const apart = (x: Expr, count: number) => transpose(reshape(x, [B, T, count, size]), [0, 2, 1, 3]);
  const shared = (x: Expr) => reshape(concat(Array<Expr>(heads / kvHeads).fill(reshape(apart(x, kvHeads), [B, kvHeads, 1, T, size])), 2), [B, heads, T, size]);
  const raw = matmul(apart(query, heads), shared(key), { transposeB: true, alpha: scale });
  const scores = cap === null ? raw : mul(tanh(mul(raw, 1 / cap)), cap);
  const [from, to] = [reshape(iota(T), [T, 1]), reshape(iota(T), [1, T])];
  const unseen = or(greater(to, from), greater(sub(from, to), (window ?? T) - 1));
  const read = matmul(softmax(add(scores, where(unseen, scalar(-1e9), scalar(0)))), shared(value));
  return reshape(transpose(read, [0, 2, 1, 3]), [B * T, heads * size]);
};

const plain: AttentionRule = { scale: 1 / Math.sqrt(size), cap: null, window: null };

it.each<[string, number, boolean, AttentionRule]>([
  ['joint projections', heads, true, plain],
  ['heads that share keys', 2, false, plain],
  ['a window and a soft cap', 2, false, { scale: 0.4, cap: 3, window: 140 }],
])('of %s gives the values and gradients of the whole square', async (_, kvHeads, joint, rule) => {
  const [q, k, v] = [heads, kvHeads, kvHeads].map((count, at) => input('qkv'[at], f32(B * T, count * size)));
  const projected: Projected = joint ? { joint: concat([q, k, v], 1) } : { query: q, key: k, value: v };
  const { read } = sequenceAttention(projected, { B, T }, { heads, kvHeads, size }, rule);
  const upstream = input('upstream', f32(B * T, heads * size));
  const results = async (y: Expr) => {
    const slopes = grad(sum(mul(y, upstream)), [q, k, v]);
    const device = await openDevice({ id: 'cpu', threads: 2 });
    const program = await device.compile({ name: 'attention', outputs: { y, q_: slopes[0], k_: slopes[1], v_: slopes[2] } });
    const made = await program.run(Object.fromEntries([q, k, v, upstream].map(({ type }, at) => [['q', 'k', 'v', 'upstream'][at], randomFloats(at, type.shape)])));
    await device.close();
    return made;
  };
  const [blocks, expected] = [await results(read), await results(whole(q, k, v, kvHeads, rule))];
  for (const name of Object.keys(expected)) expect(worstError(blocks[name] as Float32Array, expected[name] as Float32Array), name).toBeLessThan(1e-4);
});
