/** Graphs that write into a cache which grows in place. Their rows (B) and the cache's places (P) may be any number: one program serves them all. */
import { cachedAttention, input, mul, reshape, type Expr } from '../../tensor/index.ts';
import type { ModelConfig } from '../config.ts';
import type { ModelPlan } from '../device.ts';
import type { Attend } from '../families/family.ts';
import { transformerOf } from '../families/index.ts';
import type { Lookup } from '../symbols.ts';
import { draw, keysName, valuesName } from './graphs.ts';

/** Rows and places that the graphs are built with, and which nodes are chosen for: numbers that no axis of a model has, so that nothing takes one for the other. */
const example = { B: 61, P: 67 };

export interface StepShape {
  /** Tokens of each row: 1 samples the next one, more read prompts. */
  readonly tokens: number;
  readonly greedy: boolean;
}

/**
 * One pass of `tokens` tokens for each row, N = B · tokens. Inputs: parameters, `token` int32[N], `position` int32[N] (with one token a row that is `last`), `last` int32[B] and `total` int32[1]
 * (`cachedAttention`), and each layer's `keys*` and `values*` [B, kvHeads, P, size], which are written in place. With one token a row also `inverseTemperature` [B]
 * and, unless greedy, `uniforms` [B]; outputs are then `next` int32[B] and its `logp` [B].
 */
export const stepPlan = (config: ModelConfig, parameters: Lookup, { tokens, greedy }: StepShape): Omit<ModelPlan, 'name'> => {
  const { B, P } = example, transformer = transformerOf(config), { heads, kvHeads, size } = transformer, N = B * tokens;
  const axes: Record<string, (string | null)[]> = {}, inPlace: Record<string, string> = {}, outputs: Record<string, Expr> = {};
  const int = (name: string, length: number, axis: string | null) => {
    if (axis !== null) axes[name] = [axis];
    return input(name, { dtype: 'int32', shape: [length] });
  };
  const [token, last, total] = [int('token', N, tokens === 1 ? 'B' : 'N'), int('last', B, 'B'), int('total', 1, null)];
  const position = tokens === 1 ? last : int('position', N, 'N');
  const cached = (name: string) => {
    axes[name] = axes[`new ${name}`] = ['B', null, 'P', null];
    inPlace[`new ${name}`] = name;
    return input(name, { dtype: 'float32', shape: [B, kvHeads, P, size] });
  };
  const attend: Attend = (projected, layer) => {
    const { scale, cap, window } = transformer.attention(layer), [keys, values] = [keysName(layer), valuesName(layer)];
    const joined = cachedAttention(
      'joint' in projected ? [projected.joint] : [projected.query, projected.key, projected.value], { keys: cached(keys), values: cached(values) }, { last, total },
      { tokens, heads, kvHeads, scale, cap, window: window !== null && window < config.context ? window : null },
    );
    [outputs[`new ${keys}`], outputs[`new ${values}`]] = [joined.keys, joined.values];
    return joined.read;
  };
  const place = { kind: 'tokens', positions: position } as const;
  const hidden = transformer.blocks(parameters, transformer.embed(parameters, token, place), place, attend);
  if (tokens > 1) return { outputs, inPlace, axes };
  axes.next = axes.logp = ['B'];
  axes.inverseTemperature = ['B'];
  if (!greedy) axes.uniforms = ['B'];
  const logits = mul(transformer.logits(parameters, hidden), reshape(input('inverseTemperature', { dtype: 'float32', shape: [B] }), [B, 1]));
  const { token: next, logp } = draw(logits, greedy ? undefined : input('uniforms', { dtype: 'float32', shape: [B] }));
  return { outputs: { next, logp, ...outputs }, inPlace, axes };
};
