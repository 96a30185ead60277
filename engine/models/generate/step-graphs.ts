/**
 * Graphs that write into a KV cache which grows in place. Their rows (B) and the cache's positions (P) are
 * dynamic: one program serves all sizes.
 */
import {
  add,
  cachedAttention,
  concat,
  flipProducts,
  input,
  logSoftmax,
  minimum,
  mul,
  reshape,
  slice,
  type Expr,
} from '../../tensor/index.ts';
import type { ModelConfig } from '../config.ts';
import type { ModelPlan } from '../device.ts';
import type { HeadSizes } from '../blocks/attention-types.ts';
import type { Attend, Transformer } from '../families/family.ts';
import { transformerOf } from '../families/index.ts';
import type { Lookup } from '../symbols.ts';
import type { Filters } from './filters.ts';
import { draw, keysName, valuesName, type Drawn } from './graphs.ts';
import { softWidth, withSoftPrompt } from '../soft-prompt.ts';
import { steeredBy } from './steering.ts';

/**
 * Example sizes of the dynamic axes, by which nodes are chosen: numbers that no axis of a model has, so that
 * they cannot be confused.
 */
const example = { B: 61, P: 67 };

export interface StepShape extends Filters {
  /** Tokens of each row: more than 1 for prefill. */
  readonly tokens: number;
  /** Tokens sampled for each row, one after the other; 0 for prefill. */
  readonly samples: number;
  readonly greedy: boolean;
  /** True if products with fed matrices are transposed (`flipProducts`). */
  readonly flipped: boolean;
  /** True if `bias` [B, V] is added to the scaled logits of the one sampled token. */
  readonly biased?: boolean;
  /** The layer after which `strength` [B] · `direction` [D] is added to the one token's hidden state. */
  readonly steered?: number;
  /**
   * True if no token's probability exceeds exp(`caps`), [B, V]; if tokens whose `kept` [B, V] is 0 are
   * dropped.
   */
  readonly capped?: boolean;
  readonly fenced?: boolean;
  /** True if nothing is drawn, and the logits [B, V] of one token are the output. */
  readonly onlyLogits?: boolean;
}

/** A row's keys and values before a token, by name, and the values written over them. */
class CacheGraph {
  readonly axes: Record<string, (string | null)[]> = {};
  readonly inPlace: Record<string, string> = {};
  readonly outputs: Record<string, Expr> = {};
  readonly #latest = new Map<string, Expr>();
  readonly #shape: readonly number[];

  constructor({ kvHeads, size }: HeadSizes) {
    this.#shape = [example.B, kvHeads, example.P, size];
  }

  get(name: string): Expr {
    this.axes[name] = ['B', null, 'P', null];
    return this.#latest.get(name) ?? input(name, { dtype: 'float32', shape: this.#shape });
  }

  /** From here on, `value` occupies the memory of `name`. */
  set(name: string, token: number, value: Expr): void {
    const output = `new ${name} ${token}`;
    this.axes[output] = ['B', null, 'P', null];
    this.inPlace[output] = name;
    this.outputs[output] = value;
    this.#latest.set(name, value);
  }
}

/** The end position of each row, and the largest one, as `cachedAttention` takes them. */
interface Ends {
  readonly last: Expr;
  readonly total: Expr;
}

/**
 * Computes hidden states for tokens of all rows and adds their keys and values to the cache; `order` numbers
 * the passes of one graph.
 */
const passOf = (
  transformer: Transformer,
  parameters: Lookup,
  cache: CacheGraph,
  { tokens, context }: { tokens: number; context: number },
  directions?: Expr,
) => {
  const { heads, kvHeads } = transformer;
  return (token: Expr, position: Expr, at: Ends, order: number): Expr => {
    const attend: Attend = (projected, layer) => {
      const { scale, cap, window } = transformer.attention(layer);
      const [keys, values] = [keysName(layer), valuesName(layer)];
      const joined = cachedAttention(
        'joint' in projected ? [projected.joint] : [projected.query, projected.key, projected.value],
        { keys: cache.get(keys), values: cache.get(values) },
        at,
        {
          tokens,
          heads,
          kvHeads,
          scale,
          cap,
          window: window !== null && window < context ? window : null,
        },
      );
      cache.set(keys, order, joined.keys);
      cache.set(values, order, joined.values);
      return joined.read;
    };
    const place = { kind: 'tokens', positions: position } as const;
    const embedded = transformer.embed(parameters, token, place);
    const start = directions ? withSoftPrompt(parameters, embedded, directions) : embedded;
    return transformer.blocks(parameters, start, place, attend);
  };
};

/**
 * One pass of `tokens` tokens for each row, N = B · tokens. Inputs: parameters, `token` int32[N], `position`
 * int32[N] (with one token per row that is `last`), `last` int32[B] and `total` int32[1] (`cachedAttention`),
 * and each layer's `keys*` and `values*` [B, kvHeads, P, size], which are written in place. If it samples
 * also `inverseTemperature` [samples, B] and, unless greedy, `uniforms` [samples, B]; `last` and `total` are
 * those of the first token, and outputs are then `next` int32[N] and its `logp` [N], N = samples · B, token
 * by token; with filters also `dropped` [N], the probability that they dropped. A prefill begins at the rows'
 * first tokens: with a soft prompt it also reads `directions` [B, size].
 */
export const stepPlan = (
  config: ModelConfig,
  parameters: Lookup,
  shape: StepShape,
): Omit<ModelPlan, 'name'> => {
  const { B } = example;
  const { tokens, samples } = shape;
  const transformer = transformerOf(config);
  const N = B * tokens;
  const cache = new CacheGraph(transformer);
  const { axes, inPlace, outputs } = cache;
  const steered = shape.steered !== undefined;
  const read = steered ? steeredBy(parameters, shape.steered, { B, D: config.width }) : parameters;
  if (steered) axes.strength = ['B'];
  const soft = samples === 0 ? softWidth(config) : 0;
  if (soft > 0) axes.directions = ['B', null];
  const directions = soft > 0 ? input('directions', { dtype: 'float32', shape: [B, soft] }) : undefined;
  const pass = passOf(transformer, read, cache, { tokens, context: config.context }, directions);
  const int = (name: string, length: number, axis: string | null) => {
    if (axis !== null) axes[name] = [axis];
    return input(name, { dtype: 'int32', shape: [length] });
  };
  const token = int('token', N, tokens === 1 ? 'B' : 'N');
  const last = int('last', B, 'B');
  const total = int('total', 1, null);
  if (samples === 0) {
    pass(token, tokens === 1 ? last : int('position', N, 'N'), { last, total }, 0);
    return { outputs, inPlace, axes };
  }
  if (shape.onlyLogits === true) {
    const logits = transformer.logits(parameters, pass(token, last, { last, total }, 0));
    return { outputs: { logits, ...outputs }, inPlace, axes: { ...axes, logits: ['B', null] } };
  }
  const made = drawsOf(shape, { axes, vocabulary: config.vocabulary }, (t, before) => {
    const at = t === 0 ? { last, total } : { last: add(last, t), total: add(total, t) };
    return transformer.logits(parameters, pass(before?.token ?? token, at.last, at, t));
  });
  const all = { ...made, ...outputs };
  return { outputs: shape.flipped ? flipProducts(all) : all, inPlace, axes };
};

/** The draws of one graph, one after the other; `logits` computes those of draw `t` from the one before. */
const drawsOf = (
  { samples, greedy, biased, capped, fenced, steered: _, ...filters }: StepShape,
  { axes, vocabulary }: { readonly axes: Record<string, (string | null)[]>; readonly vocabulary: number },
  logits: (t: number, before: Drawn | undefined) => Expr,
): Record<string, Expr> => {
  const { B } = example;
  const each = (name: string) => {
    axes[name] = [null, 'B'];
    const values = input(name, { dtype: 'float32', shape: [samples, B] });
    return (t: number) => reshape(slice(values, 0, t, t + 1), [B, 1]);
  };
  const sharpness = each('inverseTemperature');
  const uniforms = greedy ? undefined : each('uniforms');
  const ofTokens = (name: string, on: boolean | undefined) => {
    if (on !== true) return undefined;
    axes[name] = ['B', null];
    return input(name, { dtype: 'float32', shape: [B, vocabulary] });
  };
  const bias = ofTokens('bias', biased);
  const caps = ofTokens('caps', capped);
  const kept = ofTokens('kept', fenced);
  const made: Drawn[] = [];
  for (let t = 0; t < samples; t++) {
    const scaled = mul(logits(t, made.at(-1)), sharpness(t));
    const shifted = bias ? add(scaled, bias) : scaled;
    made.push(draw(caps ? minimum(logSoftmax(shifted), caps) : shifted, uniforms?.(t), filters, kept));
  }
  const joined = (of: (drawn: Drawn) => Expr) => concat(made.map(of), 0);
  const dropped = made.flatMap(({ dropped }) => dropped ?? []);
  axes.next = axes.logp = [samples === 1 ? 'B' : 'N'];
  if (dropped.length > 0) axes.dropped = axes.next;
  return {
    next: joined(({ token }) => token),
    logp: joined(({ logp }) => logp),
    ...(dropped.length > 0 && { dropped: concat(dropped, 0) }),
  };
};
