/**
 * The Llama family (arXiv:2302.13971), as computed by Transformers: Llama, Mistral, Qwen2 and Qwen3, Gemma 2
 * and 3. RMS norm before each part, rotary positions, grouped-query attention, a gated MLP. Names are those
 * of their weight files; matrices are [out, in].
 */
import {
  add,
  boundary,
  droppable,
  gather,
  geluTanh,
  mul,
  reshape,
  rmsNorm,
  silu,
  tanh,
  type Expr,
} from '../../tensor/index.ts';
import { dense as denseLayer, plainTable } from '../blocks/dense.ts';
import { initialDeviation, type LlamaConfig } from '../config.ts';
import type { Init, ParameterSpec } from '../parameters.ts';
import type { Lookup } from '../symbols.ts';
import type { Attend, Place, Transformer } from './family.ts';
import { rotateBy } from './rotary.ts';

/**
 * Parameters in order. Matrices start as N(0, σ), σ = `initialDeviation(width)`, those that write into the
 * residual stream as N(0, σ / √(2·layers)); gains at 1.
 */
const parametersOf = (config: LlamaConfig): ParameterSpec[] => {
  const {
    width: D,
    layers,
    heads,
    kvHeads,
    headSize: size,
    innerWidth,
    vocabulary,
    head,
    tied,
    attentionBias,
    innerBias,
    headNorm,
    gemma,
  } = config;
  const sd = initialDeviation(D);
  const normal: Init = { kind: 'normal', sd };
  const residual: Init = { kind: 'normal', sd: sd / Math.sqrt(2 * layers) };
  const gain: Init = { kind: 'fill', value: gemma ? 0 : 1 };
  const norm = (name: string, width = D): ParameterSpec => ({
    name: `${name}.weight`,
    shape: [width],
    init: gain,
  });
  const matrix = (name: string, from: number, to: number, bias: boolean, init = normal): ParameterSpec[] => [
    { name: `${name}.weight`, shape: [to, from], init },
    ...(bias ? [{ name: `${name}.bias`, shape: [to], init: { kind: 'fill', value: 0 } as const }] : []),
  ];
  const block = (at: string): ParameterSpec[] => [
    norm(`${at}.input_layernorm`),
    ...matrix(`${at}.self_attn.q_proj`, D, heads * size, attentionBias !== 'none'),
    ...['k_proj', 'v_proj'].flatMap((part) =>
      matrix(`${at}.self_attn.${part}`, D, kvHeads * size, attentionBias !== 'none'),
    ),
    ...matrix(`${at}.self_attn.o_proj`, heads * size, D, attentionBias === 'all', residual),
    ...(headNorm ? [norm(`${at}.self_attn.q_norm`, size), norm(`${at}.self_attn.k_norm`, size)] : []),
    norm(`${at}.post_attention_layernorm`),
    ...(gemma ? [norm(`${at}.pre_feedforward_layernorm`)] : []),
    ...['gate_proj', 'up_proj'].flatMap((part) => matrix(`${at}.mlp.${part}`, D, innerWidth, innerBias)),
    ...matrix(`${at}.mlp.down_proj`, innerWidth, D, innerBias, residual),
    ...(gemma ? [norm(`${at}.post_feedforward_layernorm`)] : []),
  ];
  return [
    { name: 'model.embed_tokens.weight', shape: [vocabulary, D], init: normal },
    ...Array.from({ length: layers }, (_, layer) => block(`model.layers.${layer}`)).flat(),
    norm('model.norm'),
    ...(head === 'reward'
      ? matrix('score', D, config.labels ?? 1, false)
      : tied
        ? []
        : matrix('lm_head', D, vocabulary, false)),
  ];
};

const capped = (x: Expr, cap: number | null): Expr => (cap === null ? x : mul(tanh(mul(x, 1 / cap)), cap));

export const llama = (config: LlamaConfig): Transformer => {
  const { heads, kvHeads, headSize: size, tied, logitCap } = config;
  const output = tied ? 'model.embed_tokens' : 'lm_head';
  return {
    heads,
    kvHeads,
    size,
    files: {
      prefix: 'model.',
      ignored:
        config.head === 'reward'
          ? /(^|\.)rotary_emb\.inv_freq$|^lm_head\.weight$/
          : /(^|\.)rotary_emb\.inv_freq$/,
      copy:
        tied && config.head !== 'reward' ? { name: 'lm_head.weight', of: 'model.embed_tokens.weight' } : null,
    },
    layout: 'out-in',
    parameters: () => parametersOf(config),
    attention: (layer) => ({ scale: config.scale, cap: config.scoreCap, window: config.windows[layer] }),
    embed: (parameters, tokens, place) => {
      const embedded = gather(
        parameters('model.embed_tokens.weight'),
        place.kind === 'tokens' ? tokens : reshape(tokens, [place.B * place.T]),
      );
      return config.gemma ? mul(embedded, Math.sqrt(config.width)) : embedded;
    },
    blocks: (parameters, embedded, place, attend) => {
      const block = blockOf(config, parameters, place, attend);
      let x = droppable(embedded, 'embedding');
      for (let layer = 0; layer < config.layers; layer++) {
        x = block(boundary(x), layer);
        x = parameters.afterLayer?.(x, layer) ?? x;
      }
      return normOf(config, parameters)(boundary(x), 'model.norm');
    },
    logits: (parameters, hidden) => capped(denseLayer(parameters, output, hidden, 'out-in'), logitCap),
    outputTable: (parameters) => (logitCap === null ? plainTable(parameters, output) : null),
  };
};

const normOf =
  ({ normEpsilon, gemma }: LlamaConfig, parameters: Lookup) =>
  (x: Expr, name: string): Expr => {
    const gain = parameters(`${name}.weight`);
    return rmsNorm(x, gemma ? add(gain, 1) : gain, normEpsilon);
  };

const blockOf = (config: LlamaConfig, parameters: Lookup, place: Place, attend: Attend) => {
  const { heads, kvHeads, headSize: size, gemma } = config;
  const norm = normOf(config, parameters);
  const dense = (x: Expr, name: string) => denseLayer(parameters, name, x, 'out-in');
  const activate = config.activation === 'silu' ? silu : geluTanh;
  const turns = rotateBy(config.rotary, size, place);
  const windowTurns = config.windowRotary ? rotateBy(config.windowRotary, size, place) : turns;
  const perHead = (x: Expr, count: number, name: string): Expr =>
    config.headNorm ? reshape(norm(reshape(x, [x.type.shape[0], count, size]), name), x.type.shape) : x;
  return (x: Expr, layer: number): Expr => {
    const at = `model.layers.${layer}`;
    const turn = config.windows[layer] === null ? turns : windowTurns;
    const attended = norm(x, `${at}.input_layernorm`);
    const project = (part: string) => dense(attended, `${at}.self_attn.${part}_proj`);
    const read = attend(
      {
        query: turn(perHead(project('q'), heads, `${at}.self_attn.q_norm`)),
        key: turn(perHead(project('k'), kvHeads, `${at}.self_attn.k_norm`)),
        value: project('v'),
      },
      layer,
    );
    const written = dense(read, `${at}.self_attn.o_proj`);
    const middle = add(
      x,
      droppable(gemma ? norm(written, `${at}.post_attention_layernorm`) : written, `${layer}/attention`),
    );
    const inner = norm(middle, gemma ? `${at}.pre_feedforward_layernorm` : `${at}.post_attention_layernorm`);
    const made = dense(
      mul(activate(dense(inner, `${at}.mlp.gate_proj`)), dense(inner, `${at}.mlp.up_proj`)),
      `${at}.mlp.down_proj`,
    );
    return add(
      middle,
      droppable(gemma ? norm(made, `${at}.post_feedforward_layernorm`) : made, `${layer}/mlp`),
    );
  };
};
