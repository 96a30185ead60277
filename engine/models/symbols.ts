import { input, unflatten, type Expr, type QuantizedFormat } from '../tensor/index.ts';
import { WhetstoneError } from '../common/errors.ts';
import type { ParameterSet, ParameterSlot } from './parameters.ts';

/**
 * A model's parameters inside a graph, by name: separate inputs, or parts of one flat tensor. A model's code
 * does not depend on which.
 */
export interface Lookup {
  (name: string): Expr;
  has(name: string): boolean;
  /** The low-rank addition to a dense layer, if any. */
  lowRank?(layer: string): LowRank | undefined;
  /** The quantized matrix of a dense layer, which is not a parameter. */
  quantized?(layer: string): QuantizedMatrix | undefined;
  /** What the hidden states [N, D] after a layer, counted from 0, go on as; by default themselves. */
  afterLayer?(hidden: Expr, layer: number): Expr;
}

/**
 * A matrix of `shape`, in the order of its weight file: codes uint8[blocks, bytes of a block], scales
 * float32[blocks].
 */
export interface QuantizedMatrix {
  readonly codes: Expr;
  readonly scales: Expr;
  readonly format: QuantizedFormat;
  readonly shape: readonly [number, number];
}

/** An addition to a dense layer, scale·(x·aᵀ)·bᵀ: a [rank, in], b [out, rank]. */
export interface LowRank {
  readonly a: Expr;
  readonly b: Expr;
  readonly scale: number;
}

/** Parameters by name. Throws `internal` for an unknown name. */
export const lookup = (found: ReadonlyMap<string, Expr>): Lookup =>
  Object.assign(
    (name: string): Expr => {
      const x = found.get(name);
      if (!x)
        throw new WhetstoneError('internal', `There is no parameter '${name}' in this graph.`, {
          where: 'parameters',
        });
      return x;
    },
    { has: (name: string) => found.has(name) },
  );

/** The same parameters in a graph that reads or changes the hidden states after each layer. */
export const withAfterLayer = (parameters: Lookup, afterLayer: NonNullable<Lookup['afterLayer']>): Lookup =>
  Object.assign((name: string) => parameters(name), parameters, { afterLayer });

/** Each parameter as an input of its own, named `prefix + name`; `parameterFeeds` gives the arrays. */
export const inputParameters = (slots: readonly ParameterSlot[], prefix = ''): Lookup =>
  lookup(new Map(slots.map(({ name, shape }) => [name, input(prefix + name, { dtype: 'float32', shape })])));

/** Parameters as parts of one flat tensor, float32[size]. */
export const flatParameters = (slots: readonly ParameterSlot[], flat: Expr): Lookup => {
  const parts = unflatten(
    flat,
    slots.map((slot) => slot.shape),
  );
  return lookup(new Map(slots.map(({ name }, i) => [name, parts[i]])));
};

/** Feeds for `inputParameters`: views of the flat array, no copies. */
export const parameterFeeds = (parameters: ParameterSet, prefix = ''): Record<string, Float32Array> =>
  Object.fromEntries(parameters.slots.map(({ name }) => [prefix + name, parameters.view(name)]));
