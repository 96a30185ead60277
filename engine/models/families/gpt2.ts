/**
 * GPT-2 (Radford et al., 2019) as Transformers computes it: learned positions, layer norm before each part,
 * one matrix for query, key and value, GELU by tanh, the embedding tied to the output. Names are those of its
 * weight files; matrices are [in, out].
 */
import {
  add,
  boundary,
  droppable,
  gather,
  geluTanh,
  layerNorm,
  reshape,
  slice,
  type Expr,
} from '../../tensor/index.ts';
import { dense as denseLayer, plainTable } from '../blocks/dense.ts';
import { initialDeviation, type Gpt2Config } from '../config.ts';
import type { Init, ParameterSpec } from '../parameters.ts';
import type { Transformer } from './family.ts';

const zeros: Init = { kind: 'fill', value: 0 };
const ones: Init = { kind: 'fill', value: 1 };

/**
 * Parameters in order. Matrices start as N(0, σ), σ = `initialDeviation(width)`, those that write into the
 * residual stream as N(0, σ / √(2·layers)).
 */
const parametersOf = ({
  width: D,
  layers,
  context,
  vocabulary,
  head,
  labels = 1,
}: Gpt2Config): ParameterSpec[] => {
  const sd = initialDeviation(D);
  const normal: Init = { kind: 'normal', sd };
  const residual: Init = { kind: 'normal', sd: sd / Math.sqrt(2 * layers) };
  const norm = (name: string): ParameterSpec[] => [
    { name: `${name}.weight`, shape: [D], init: ones },
    { name: `${name}.bias`, shape: [D], init: zeros },
  ];
  const matrix = (name: string, from: number, to: number, init: Init): ParameterSpec[] => [
    { name: `${name}.weight`, shape: [from, to], init },
    { name: `${name}.bias`, shape: [to], init: zeros },
  ];
  return [
    { name: 'transformer.wte.weight', shape: [vocabulary, D], init: normal },
    { name: 'transformer.wpe.weight', shape: [context, D], init: normal },
    ...Array.from({ length: layers }, (_, layer) => `transformer.h.${layer}`).flatMap((block) => [
      ...norm(`${block}.ln_1`),
      ...matrix(`${block}.attn.c_attn`, D, 3 * D, normal),
      ...matrix(`${block}.attn.c_proj`, D, D, residual),
      ...norm(`${block}.ln_2`),
      ...matrix(`${block}.mlp.c_fc`, D, 4 * D, normal),
      ...matrix(`${block}.mlp.c_proj`, 4 * D, D, residual),
    ]),
    ...norm('transformer.ln_f'),
    ...(head === 'reward' ? [{ name: 'score.weight', shape: [labels, D], init: normal }] : []),
  ];
};

export const gpt2 = (config: Gpt2Config): Transformer => ({
  heads: config.heads,
  kvHeads: config.heads,
  size: config.width / config.heads,
  // Skips the attention buffers of old files, and the output matrix if the model has another head.
  files: {
    prefix: 'transformer.',
    ignored:
      config.head === 'reward'
        ? /^(transformer\.)?h\.\d+\.attn\.(masked_)?bias$|^lm_head\.weight$/
        : /^(transformer\.)?h\.\d+\.attn\.(masked_)?bias$/,
    copy: config.head === 'reward' ? null : { name: 'lm_head.weight', of: 'transformer.wte.weight' },
  },
  layout: 'in-out',
  parameters: () => parametersOf(config),
  attention: () => ({ scale: 1 / Math.sqrt(config.width / config.heads), cap: null, window: null }),
  embed: (parameters, tokens, place) => {
    const embedded = gather(parameters('transformer.wte.weight'), tokens);
    const positions = parameters('transformer.wpe.weight');
    if (place.kind === 'tokens') return add(embedded, gather(positions, place.positions));
    return reshape(add(embedded, slice(positions, 0, 0, place.T)), [place.B * place.T, config.width]);
  },
  blocks: (parameters, embedded, _, attend) => {
    const norm = (x: Expr, name: string) =>
      layerNorm(x, parameters(`${name}.weight`), parameters(`${name}.bias`), config.layerNormEpsilon);
    const dense = (x: Expr, name: string) => denseLayer(parameters, name, x, 'in-out');
    let x = droppable(embedded, 'embedding');
    for (let layer = 0; layer < config.layers; layer++) {
      const block = `transformer.h.${layer}`;
      x = boundary(x);
      const read = attend({ joint: dense(norm(x, `${block}.ln_1`), `${block}.attn.c_attn`) }, layer);
      x = add(x, droppable(dense(read, `${block}.attn.c_proj`), `${layer}/attention`));
      x = add(
        x,
        droppable(
          dense(geluTanh(dense(norm(x, `${block}.ln_2`), `${block}.mlp.c_fc`)), `${block}.mlp.c_proj`),
          `${layer}/mlp`,
        ),
      );
      x = parameters.afterLayer?.(x, layer) ?? x;
    }
    return norm(boundary(x), 'transformer.ln_f');
  },
  logits: (parameters, hidden) => denseLayer(parameters, 'transformer.wte', hidden, 'out-in'),
  outputTable: (parameters) => plainTable(parameters, 'transformer.wte'),
});
