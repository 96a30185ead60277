import { defineOp, expectDType, host, type Expr, type HostTensor } from '../expr.ts';
import { illegal, show, type TensorType } from '../types.ts';
import { outputOf } from './source.ts';

export interface CachedAttentionAttrs {
  /** Tokens of each row in this pass. */
  readonly tokens: number;
  readonly heads: number;
  readonly kvHeads: number;
  /** Scores are query · key · scale, limited to cap · tanh(x / cap) if there is a cap. */
  readonly scale: number;
  readonly cap: number | null;
  /** Attention window in tokens, the current one included; null: unlimited. */
  readonly window: number | null;
}

/** Query, key and value, or all three as one product, before the cache. */
const splitProjection = (
  inputs: readonly Expr[],
): { projected: readonly Expr[]; cache: readonly Expr[]; where: readonly Expr[] } => ({
  projected: inputs.slice(0, -4),
  cache: inputs.slice(-4, -2),
  where: inputs.slice(-2),
});

/** Reads [N, heads · size] and the cache's types. */
const typesOf = (inputs: readonly Expr[], { tokens, heads, kvHeads }: CachedAttentionAttrs): TensorType[] => {
  const {
    projected,
    cache: [keys, values],
    where: [last, total],
  } = splitProjection(inputs);
  const [B, kv, , size] = keys.type.shape;
  const widths =
    projected.length === 1 ? [(heads + 2 * kvHeads) * size] : [heads * size, kvHeads * size, kvHeads * size];
  for (const x of [...projected, keys, values]) expectDType('cachedAttention', x, 'float32');
  for (const x of [last, total]) expectDType('cachedAttention', x, 'int32');
  projected.forEach((x, at) => {
    if (x.type.shape.join() !== `${B * tokens},${widths[at]}`)
      throw illegal('cachedAttention', `${show(x.type)} where [${B * tokens}, ${widths[at]}] is needed`);
  });
  if (kv !== kvHeads || values.type.shape.join() !== keys.type.shape.join())
    throw illegal(
      'cachedAttention',
      `a cache of ${show(keys.type)} and ${show(values.type)} for ${kvHeads} heads`,
    );
  if (last.type.shape.join() !== `${B}` || total.type.shape.join() !== '1')
    throw illegal('cachedAttention', `places ${show(last.type)} and ${show(total.type)} of ${B} rows`);
  return [{ dtype: 'float32', shape: [B * tokens, heads * size] }, keys.type, values.type];
};

/** The columns of a projection that belong to one head of one row. */
const columns = ({ shape, data }: HostTensor, row: number, from: number, size: number): Float64Array =>
  data.subarray(row * shape[1] + from, row * shape[1] + from + size);
const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, x, at) => sum + x * b[at], 0);

const cachedAttentionOp = defineOp<CachedAttentionAttrs>({
  name: 'cachedAttention',
  infer: typesOf,
  eval: (inputs, { tokens, heads, kvHeads, scale, cap, window }, [readType]) => {
    const [keys, values, last] = inputs.slice(-4);
    const [B, , P, size] = keys.shape;
    const joint = inputs.length === 5;
    const [query, key, value] = joint ? [inputs[0], inputs[0], inputs[0]] : inputs;
    const [keyAt, valueAt] = joint ? [heads * size, (heads + kvHeads) * size] : [0, 0];
    const newKeys = keys.data.slice();
    const newValues = values.data.slice();
    const read = new Float64Array(B * tokens * heads * size);
    const place = (data: Float64Array, b: number, kv: number, p: number) =>
      data.subarray(((b * kvHeads + kv) * P + p) * size, ((b * kvHeads + kv) * P + p + 1) * size);
    for (let row = 0; row < B * tokens; row++) {
      const b = Math.floor(row / tokens);
      const at = tokens === 1 ? last.data[b] : row % tokens;
      for (let kv = 0; kv < kvHeads; kv++) {
        place(newKeys, b, kv, at).set(columns(key, row, keyAt + kv * size, size));
        place(newValues, b, kv, at).set(columns(value, row, valueAt + kv * size, size));
      }
      for (let head = 0; head < heads; head++) {
        const kv = Math.floor(head / (heads / kvHeads));
        const from = window === null ? 0 : Math.max(0, at - window + 1);
        const queryHead = columns(query, row, head * size, size);
        const seen = Array.from({ length: at - from + 1 }, (_, p) => from + p);
        const scores = seen
          .map((p) => scale * dot(queryHead, place(newKeys, b, kv, p)))
          .map((x) => (cap === null ? x : cap * Math.tanh(x / cap)));
        const most = Math.max(...scores);
        const weights = scores.map((x) => Math.exp(x - most));
        const whole = weights.reduce((sum, x) => sum + x, 0);
        const into = read.subarray((row * heads + head) * size, (row * heads + head + 1) * size);
        seen.forEach((p, i) =>
          place(newValues, b, kv, p).forEach((x, d) => {
            into[d] += (weights[i] / whole) * x;
          }),
        );
      }
    }
    return [host(readType, read), host(keys, newKeys), host(values, newValues)];
  },
  emit: (g, names, { tokens, heads, kvHeads, scale, cap, window }, node) => {
    const { projected } = splitProjection(node.inputs);
    const rows = projected.map(
      (
        {
          type: {
            shape: [, width],
          },
        },
        at,
      ) => g.node('Reshape', [names[at], g.tensor({ dtype: 'int64', shape: [3] }, [-1, tokens, width])]),
    );
    const [read, keys, values] = g.nodes(
      'GroupQueryAttention',
      [...rows, ...Array.from({ length: 3 - rows.length }, () => ''), ...names.slice(-4)],
      3,
      {
        num_heads: heads,
        kv_num_heads: kvHeads,
        scale: { float: scale },
        ...(cap !== null && { softcap: { float: cap } }),
        ...(window !== null && { local_window_size: window }),
      },
      'com.microsoft',
    );
    return [
      g.node('Reshape', [read, g.tensor({ dtype: 'int64', shape: [2] }, [-1, node.type.shape[1]])]),
      keys,
      values,
    ];
  },
  vjp: 'none',
  // full rows only: values at unused positions are undefined
  cases: [
    {
      shapes: [[2, 16], [2, 8], [2, 8], [2, 1, 4, 8], [2, 1, 4, 8], [2], [1]],
      attrs: { tokens: 1, heads: 2, kvHeads: 1, scale: 0.3, cap: null, window: null },
      values: { 5: [3, 3], 6: [4] },
      kinds: { 5: [0, 4], 6: [0, 5] },
    },
    {
      shapes: [[2, 24], [2, 1, 4, 8], [2, 1, 4, 8], [2], [1]],
      attrs: { tokens: 1, heads: 1, kvHeads: 1, scale: 1, cap: 2, window: 2 },
      values: { 3: [3, 3], 4: [4] },
      kinds: { 3: [0, 4], 4: [0, 5] },
    },
    {
      shapes: [[6, 48], [2, 2, 3, 8], [2, 2, 3, 8], [2], [1]],
      attrs: { tokens: 3, heads: 2, kvHeads: 2, scale: 0.5, cap: null, window: 2 },
      values: { 3: [2, 2], 4: [3] },
      kinds: { 3: [0, 3], 4: [0, 4] },
    },
  ],
});

/**
 * Causal attention of new tokens over a KV cache, to which they are added: `tokens` per row of B rows, N = B
 * · tokens. `projected` is query [N, heads · size], key and value [N, kvHeads · size], or all three
 * concatenated; `keys` and `values` [B, kvHeads, P, size] hold each row's earlier positions. `last` int32[B]
 * is the position of a row's last token; `total` int32[1] the largest of these, plus 1. With one token per
 * pass, the positions before `last` are in use. With more, the rows are empty: their tokens go to positions
 * 0 …, those after `last` are padding, and `total` is `tokens`. Returns the attention output [N, heads ·
 * size] and the extended cache; the runtime needs a size that is a multiple of 8.
 */
export const cachedAttention = (
  projected: readonly Expr[],
  cache: { keys: Expr; values: Expr },
  at: { last: Expr; total: Expr },
  attrs: CachedAttentionAttrs,
): { read: Expr; keys: Expr; values: Expr } => {
  const node = cachedAttentionOp([...projected, cache.keys, cache.values, at.last, at.total], attrs);
  return { read: outputOf(node, 0), keys: outputOf(node, 1), values: outputOf(node, 2) };
};

export const cachedAttentionOps = [cachedAttentionOp];
