/**
 * Low-rank adapters (LoRA, arXiv:2106.09685): a dense layer adds scale·B·A, of rank r, to a frozen matrix W,
 * and only A and B are trained. Names and shapes are those of PEFT's files: `<layer>.lora_A.weight` [r, in]
 * and `<layer>.lora_B.weight` [out, r], whichever way W is stored.
 */
import { tokenUniforms } from '../../random/random.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { LoraSpec } from '../../schema/adapter.ts';
import type { BaseRef } from '../../schema/messages.ts';
import type { ModelConfig } from '../config.ts';
import { transformerOf } from '../families/index.ts';
import { layoutOf, ParameterSet, type ParameterSlot } from '../parameters.ts';
import type { Lookup } from '../symbols.ts';

/** Settings of an adapter: `LoraSpec` without its kind. */
export type LoraSettings = Omit<LoraSpec, 'kind'>;

/** An adapter of a model: its settings and trained parameters, which for a reward model include its head. */
export interface Adapter {
  readonly settings: LoraSettings;
  readonly parameters: ParameterSet;
  readonly base: BaseRef;
}

/** The parameter outside the adapter's layers that is trained in full. */
export const headParameter = 'score.weight';
const matrixA = (layer: string): string => `${layer}.lora_A.weight`;
const matrixB = (layer: string): string => `${layer}.lora_B.weight`;

/** α/r, or α/√r for rank-stabilized LoRA (arXiv:2312.03732). */
export const scaleOf = ({ rank, alpha, rsLora }: LoraSettings): number =>
  alpha / (rsLora ? Math.sqrt(rank) : rank);

/** Embedding and output layers, which get no adapter. */
const atTheEnds = /(^|\.)(wte|wpe|embed_tokens|lm_head|score)$/;

interface Layer {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** The dense layers of a model that can have an adapter, by the names of its weight files. */
export const denseLayersOf = (config: ModelConfig): Layer[] => {
  const transformer = transformerOf(config);
  return transformer.parameters().flatMap(({ name, shape }) => {
    const layer = name.replace(/\.weight$/, '');
    if (layer === name || shape.length !== 2 || atTheEnds.test(layer)) return [];
    const [from, to] = transformer.layout === 'in-out' ? shape : shape.toReversed();
    return [{ name: layer, from, to }];
  });
};

/**
 * The layers named by `targets`, by PEFT's rules: a full name or its suffix; `all-linear` selects every one.
 * Throws `invalid-input` for a name that matches none.
 */
const targeted = (config: ModelConfig, targets: readonly string[]): Layer[] => {
  const layers = denseLayersOf(config);
  const matches = (target: string, { name }: Layer): boolean =>
    target === 'all-linear' || name === target || name.endsWith(`.${target}`);
  const unknown = targets.find((target) => !layers.some((layer) => matches(target, layer)));
  if (unknown !== undefined) {
    const ends = [...new Set(layers.map(({ name }) => name.split('.').at(-1)))];
    throw new WhetstoneError('invalid-input', `The model has no layer '${unknown}' for an adapter.`, {
      where: 'adapter.targets',
      hint: `There are: all-linear, ${ends.join(', ')}.`,
    });
  }
  return layers.filter((layer) => targets.some((target) => matches(target, layer)));
};

/** The parameters that an adapter with these settings trains, in the order of the model's layers. */
export const adapterSlots = (
  config: ModelConfig,
  { rank, targets }: { readonly rank: number; readonly targets: readonly string[] },
): ParameterSlot[] =>
  layoutOf([
    ...targeted(config, targets).flatMap(({ name, from, to }) => [
      { name: matrixA(name), shape: [rank, from] },
      { name: matrixB(name), shape: [to, rank] },
    ]),
    ...transformerOf(config)
      .parameters()
      .filter(({ name }) => name === headParameter),
  ]);

/**
 * A new adapter: A uniform in ±1/√in (Kaiming's with a = √5, as PEFT draws it), B zero, so that the model's
 * output is unchanged. A reward model's head starts with the model's values.
 */
export const createAdapter = (
  model: { readonly config: ModelConfig; readonly parameters: ParameterSet },
  settings: LoraSettings,
  { seed, base }: { readonly seed: number; readonly base: BaseRef },
): Adapter => {
  const parameters = new ParameterSet(adapterSlots(model.config, settings));
  parameters.slots.forEach(({ name, shape }, index) => {
    const view = parameters.view(name);
    if (name === headParameter) view.set(model.parameters.view(name));
    else if (name.endsWith('.lora_A.weight')) {
      const bound = 1 / Math.sqrt(shape[1]);
      tokenUniforms({ seed, purpose: 'adapter', step: index, prompt: 0, sample: 0 }, 0, view);
      for (let at = 0; at < view.length; at++) view[at] = (2 * view[at] - 1) * bound;
    }
  });
  return { settings, parameters, base };
};

/** True if an adapter changes nothing yet: every B is zero, and a head equals the model's own, if it has one. */
export const changesNothing = (
  { parameters }: Adapter,
  model: { readonly parameters: ParameterSet },
): boolean =>
  parameters.slots.every(({ name }) => {
    const view = parameters.view(name);
    if (name === headParameter && !model.parameters.has(name)) return false;
    const own = name === headParameter ? model.parameters.view(name) : undefined;
    return name.endsWith('.lora_A.weight') || view.every((value, at) => value === (own?.[at] ?? 0));
  });

/**
 * Combines a model's parameters with an adapter's in a graph: a parameter of the adapter replaces the
 * model's own.
 */
export const adapted = (base: Lookup, adapter: Lookup, settings: LoraSettings): Lookup =>
  Object.assign((name: string) => (adapter.has(name) ? adapter(name) : base(name)), {
    has: (name: string) => adapter.has(name) || base.has(name),
    lowRank: (layer: string) =>
      adapter.has(matrixA(layer))
        ? { a: adapter(matrixA(layer)), b: adapter(matrixB(layer)), scale: scaleOf(settings) }
        : undefined,
    quantized: (layer: string) => base.quantized?.(layer),
  });

/** A copy of the model's parameters with the adapter merged: W + scale·B·A in float64 before rounding. */
export const mergedParameters = (
  config: ModelConfig,
  base: ParameterSet,
  { settings, parameters: adapter }: Adapter,
): ParameterSet => {
  // a base of another head lacks the one that the adapter brings
  const merged = new ParameterSet(layoutOf(transformerOf(config).parameters()));
  for (const { name, size } of merged.slots)
    if (base.has(name) && base.slot(name).size === size) merged.view(name).set(base.view(name));
  const scale = scaleOf(settings);
  const { rank } = settings;
  const { layout } = transformerOf(config);
  for (const { name, from, to } of denseLayersOf(config)) {
    if (!adapter.has(matrixA(name))) continue;
    const [a, b, weight] = [
      adapter.view(matrixA(name)),
      adapter.view(matrixB(name)),
      merged.view(`${name}.weight`),
    ];
    for (let o = 0; o < to; o++)
      for (let i = 0; i < from; i++) {
        let sum = 0;
        for (let r = 0; r < rank; r++) sum += b[o * rank + r] * a[r * from + i];
        weight[layout === 'in-out' ? i * to + o : o * from + i] += scale * sum;
      }
  }
  if (adapter.has(headParameter)) merged.view(headParameter).set(adapter.view(headParameter));
  return merged;
};
