import {
  add,
  and,
  argmax,
  cast,
  concat,
  cumsum,
  equal,
  exp,
  full,
  gather,
  greater,
  input,
  iota,
  less,
  logSoftmax,
  loop,
  matmul,
  max,
  minimum,
  mul,
  or,
  pick,
  reshape,
  scalar,
  slice,
  softmax,
  split,
  sub,
  sum,
  transpose,
  where,
  type Expr,
} from '../../tensor/index.ts';
import { masked, softCapped } from '../blocks/attention.ts';
import type { ModelConfig } from '../config.ts';
import type { HeadSizes, Projected } from '../blocks/attention-types.ts';
import type { Attend, Transformer } from '../families/family.ts';
import { transformerOf } from '../families/index.ts';
import { forward } from '../forward.ts';
import type { Lookup } from '../symbols.ts';
import { softWidth } from '../soft-prompt.ts';
import { steeredBy } from './steering.ts';
import { activeFilters, droppedMass, truncated, truncates, type Filters } from './filters.ts';

/** Names of a layer's cached keys and values, in feeds and outputs. */
export const keysName = (layer: number): string => `keys${layer}`;
export const valuesName = (layer: number): string => `values${layer}`;

/**
 * Prefill graph: tokens int32[B, T], and with a soft prompt `directions` [B, size] → each layer's keys and
 * values [B, kvHeads, T, size]. Nothing else is computed.
 */
export const prefillGraph = (
  config: ModelConfig,
  parameters: Lookup,
  { B, T }: { B: number; T: number },
): Record<string, Expr> => {
  const outputs: Record<string, Expr> = {};
  const size = softWidth(config);
  forward(
    {
      config,
      parameters,
      tokens: input('tokens', { dtype: 'int32', shape: [B, T] }),
      ...(size > 0 && { directions: input('directions', { dtype: 'float32', shape: [B, size] }) }),
    },
    (layer, keys, values) => {
      outputs[keysName(layer)] = keys;
      outputs[valuesName(layer)] = values;
    },
  );
  return outputs;
};

export interface ChunkShape extends Filters {
  /** Rows. */
  readonly B: number;
  /** Positions of the fixed cache. */
  readonly P: number;
  /** Tokens per run. */
  readonly C: number;
  readonly greedy: boolean;
  /** True if `bias` [C, B, V] is added to the scaled logits. */
  readonly biased?: boolean;
  /** The layer after which `strength` [B] · `direction` [D] is added to the hidden state; C is then 1. */
  readonly steered?: number;
}

/**
 * Samples `C` tokens for each row in one run. The cache of everything before the chunk stays outside the
 * loop and is only read; the chunk's own keys and values are the loop's state. Inputs: parameters, `keys*`,
 * `values*` [B, kvHeads, P, size], `pastLength` int32[B] (positions in use), `token` int32[B] (the last one,
 * not in the cache yet), `inverseTemperature` [B, C] and, unless greedy, `uniforms` [B, C]. Outputs:
 * `tokens` int32[C, B], `logp` [C, B], and the chunk's own `new keys*`, `new values*` [B, kvHeads, C, size];
 * with filters also `dropped` [C, B], the probability that they dropped.
 */
export const chunkGraph = (
  config: ModelConfig,
  parameters: Lookup,
  shape: ChunkShape,
): Record<string, Expr> => {
  const { B, P, C, greedy } = shape;
  const { layers, context } = config;
  const transformer = transformerOf(config);
  const { kvHeads, size } = transformer;
  const int = (name: string) => input(name, { dtype: 'int32', shape: [B] });
  const pastLength = int('pastLength');
  const past = Array.from({ length: layers }, (_, layer) =>
    [keysName(layer), valuesName(layer)].map((name) =>
      input(name, { dtype: 'float32', shape: [B, kvHeads, P, size] }),
    ),
  );
  const { pastMask, recentMask } = masks(pastLength, shape);
  const sharpness_CB = transpose(input('inverseTemperature', { dtype: 'float32', shape: [B, C] }));
  const uniforms_CB = greedy ? undefined : transpose(input('uniforms', { dtype: 'float32', shape: [B, C] }));
  const bias_CBV =
    shape.biased === true ? input('bias', { dtype: 'float32', shape: [C, B, config.vocabulary] }) : undefined;
  const read =
    shape.steered === undefined ? parameters : steeredBy(parameters, shape.steered, { B, D: config.width });
  const chunk = full(0, [B, kvHeads, C, size]);
  const carried: Record<string, Expr> = { token: int('token') };
  for (let layer = 0; layer < layers; layer++) carried[keysName(layer)] = carried[valuesName(layer)] = chunk;

  const { carried: last, scans } = loop({
    trips: C,
    carried,
    body: (state, t) => {
      const { attend, next } = attentionOf(transformer, shape, { past, pastMask, recentMask, state, t });
      // rows past their end continue until the chunk ends; their tokens are dropped
      const position = minimum(add(pastLength, t), context - 1);
      const place = { kind: 'tokens', positions: position } as const;
      const hidden = transformer.blocks(
        read,
        transformer.embed(parameters, state.token, place),
        place,
        attend,
      );
      const logits = mul(transformer.logits(parameters, hidden), reshape(gather(sharpness_CB, t), [B, 1]));
      const drawn = draw(
        bias_CBV ? add(logits, gather(bias_CBV, t)) : logits,
        uniforms_CB && gather(uniforms_CB, t),
        shape,
      );
      return { carried: { ...next, token: drawn.token }, scans: { ...drawn } };
    },
  });
  const news = Array.from({ length: layers }, (_, layer) => [keysName(layer), valuesName(layer)]).flat();
  return {
    tokens: scans.token,
    logp: scans.logp,
    ...(scans.dropped && { dropped: scans.dropped }),
    ...Object.fromEntries(news.map((name) => [`new ${name}`, last[name]])),
  };
};

interface ChunkPass extends ReturnType<typeof masks> {
  /** Keys and values of each layer, before the chunk. */
  readonly past: readonly (readonly Expr[])[];
  /** The chunk's own keys and values from the previous iteration. */
  readonly state: Readonly<Record<string, Expr>>;
  readonly t: Expr;
}

/** The attention of iteration `t` to the cache and to the chunk's own tokens; appends to `next`. */
const attentionOf = (
  transformer: Transformer,
  { B, P, C }: ChunkShape,
  { past, pastMask, recentMask, state, t }: ChunkPass,
): { attend: Attend; next: Record<string, Expr> } => {
  const { heads, size } = transformer;
  const next: Record<string, Expr> = {};
  // The newest key is last and the others move up by one: after C iterations they are in order. Copying
  // blocks is several times faster here than selecting by a mask.
  const shifted = (window: Expr, newest: Expr) => concat([slice(window, 2, 1, C), newest], 2);
  const attend: Attend = (projected, layer) => {
    const { query, key, value } = splitHeads(projected, B, transformer);
    const { scale, cap, window } = transformer.attention(layer);
    const keys = (next[keysName(layer)] = shifted(state[keysName(layer)], key));
    const values = (next[valuesName(layer)] = shifted(state[valuesName(layer)], value));
    const scaledQuery = mul(query, scale);
    const products = (cached: Expr) => softCapped(matmul(scaledQuery, cached, { transposeB: true }), cap);
    const scores = concat(
      [add(products(past[layer][0]), pastMask(window, t)), add(products(keys), recentMask(window, t))],
      3,
    );
    const [onPast, onRecent] = split(softmax(scores), 3, [P, C]);
    return reshape(add(matmul(onPast, past[layer][1]), matmul(onRecent, values)), [B, heads * size]);
  };
  return { attend, next };
};

/**
 * Masks added to the scores of the cached positions and of the chunk's own in iteration `t`, for each
 * attention window.
 */
const masks = (pastLength: Expr, { B, P, C }: ChunkShape) => {
  const places = reshape(iota(P), [1, 1, 1, P]);
  const length = reshape(pastLength, [B, 1, 1, 1]);
  const own = reshape(iota(C), [1, 1, 1, C]);
  const used = less(places, length);
  return {
    pastMask: (window: number | null, t: Expr) =>
      where(
        window === null || window >= P + C ? used : and(used, greater(places, sub(add(length, t), window))),
        scalar(0),
        scalar(masked),
      ),
    // Entry c is C − 1 − c tokens back.
    recentMask: (window: number | null, t: Expr) => {
      const unmade = less(add(own, t), C - 1);
      return where(
        window === null || window >= C ? unmade : or(unmade, less(own, C - window)),
        scalar(masked),
        scalar(0),
      );
    },
  };
};

/**
 * One token per row in the cache's layout: query [B, kvHeads, heads / kvHeads, size], key and value [B,
 * kvHeads, 1, size].
 */
const splitHeads = (
  projected: Projected,
  B: number,
  { heads, kvHeads, size }: HeadSizes,
): { query: Expr; key: Expr; value: Expr } => {
  const laid = (query: Expr, key: Expr, value: Expr) => ({
    query: reshape(query, [B, kvHeads, heads / kvHeads, size]),
    key: reshape(key, [B, kvHeads, 1, size]),
    value: reshape(value, [B, kvHeads, 1, size]),
  });
  if (!('joint' in projected)) return laid(projected.query, projected.key, projected.value);
  const [query, key, value] = split(reshape(projected.joint, [B, 3, heads, size]), 1, [1, 1, 1]);
  return laid(query, key, value);
};

/** Vocabulary size from which a token is found in two steps: first its block, then itself. */
const wide = 4096;
const block = 256;

/** Number of values in each row below its bound: [B, n], [B, 1] → [B, 1]. */
const countBelow = (values: Expr, bound: Expr): Expr => sum(cast(less(values, bound), 'float32'), 1, true);

/**
 * Index of the first weight in each row [B, n] at which the running sum reaches `bound` [B, 1], as
 * float32[B, 1]. A bound above the sum counts as the sum.
 */
const reached = (weights: Expr, bound: Expr): Expr => {
  const n = weights.type.shape[1];
  const running = cumsum(weights, 1);
  return countBelow(running, minimum(bound, slice(running, 1, n - 1, n)));
};

/**
 * The same for many weights: the running sum of block sums finds the block, and the running sum within the
 * block the weight. One by one, the sum of a hundred thousand similar weights in float32 is off by more than
 * one of them, and takes longer than everything else except the products.
 */
const reachedInBlocks = (weights: Expr, share: Expr): Expr => {
  const [B, V] = weights.type.shape;
  const blocks = Math.ceil(V / block);
  // zeros with the dynamic number of rows
  const zeros = mul(slice(weights, 1, 0, blocks * block - V), 0);
  const parts = reshape(blocks * block === V ? weights : concat([weights, zeros], 1), [B, blocks, block]);
  const running = cumsum(sum(parts, 2), 1);
  const bound = mul(share, slice(running, 1, blocks - 1, blocks));
  const before = less(running, bound);
  const at = sum(cast(before, 'float32'), 1, true);
  const own = sum(
    where(
      equal(reshape(at, [B, 1, 1]), reshape(cast(iota(blocks), 'float32'), [1, blocks, 1])),
      parts,
      scalar(0),
    ),
    1,
  );
  return add(mul(at, block), reached(own, sub(bound, max(where(before, running, scalar(0)), 1, true))));
};

/** A draw for each row: the token, its log-probability before the filters, and the mass that they dropped. */
export interface Drawn {
  readonly token: Expr;
  readonly logp: Expr;
  readonly dropped?: Expr;
}

/**
 * One token per row of scaled logits [B, V], by inversion of the distribution function at `uniforms` [B], or
 * the most likely one without them. The token is the number of values of the running sum below u · total: as
 * u > 0 and u · total ≤ total, it is always a token, and never one of probability 0. With filters the running
 * sum is over the kept tokens; the most likely one is always among them. `fence` [B, V] is 0 on tokens that
 * are dropped first, whatever their probability.
 */
export const draw = (
  logits: Expr,
  uniforms: Expr | undefined,
  filters: Filters = {},
  fence?: Expr,
): Drawn => {
  const [B, V] = logits.type.shape;
  const logp = logSoftmax(logits);
  if (!uniforms) {
    const token = argmax(logits);
    return { token, logp: pick(logp, token) };
  }
  const active = activeFilters(filters);
  const inside = fence ? where(less(fence, scalar(0.5)), scalar(masked), logp) : logp;
  const kept = truncates(active) ? truncated(inside, active) : inside;
  const mass = kept === logp ? {} : { dropped: droppedMass(logp, kept) };
  const share = reshape(uniforms, [B, 1]);
  // relative to the likeliest one that is left, whose probability may be tiny behind a fence
  const weights = exp(fence ? sub(kept, max(kept, 1, true)) : kept);
  if (V >= wide) {
    const token = reshape(cast(reachedInBlocks(weights, share), 'int32'), [B]);
    return { token, logp: pick(logp, token), ...mass };
  }
  const running = cumsum(weights, 1);
  const below = less(running, mul(share, slice(running, 1, V - 1, V)));
  const token = cast(sum(cast(below, 'float32'), 1), 'int32');
  return { token, logp: pick(logp, token), ...mass };
};
