import type { Expr, TensorType } from '../tensor/index.ts';
import { WhetstoneError } from '../common/errors.ts';

export interface ModelPlan {
  readonly name: string;
  readonly outputs: Readonly<Record<string, Expr>>;
  /** Values of inputs that the program may store; the stored ones are not among its `inputs`. */
  readonly constants?: Readonly<Record<string, Float32Array>>;
  /** Output → input whose fed array it is written into. */
  readonly inPlace?: Readonly<Record<string, string>>;
  /** Names of the dynamic axes of inputs and outputs. */
  readonly axes?: Readonly<Record<string, readonly (string | null)[]>>;
  /** Kind of the graph, whatever its shapes. */
  readonly kind?: string;
}

/**
 * The device interface that models need; `engine/runtime` implements it. Declared here, so that models do
 * not depend on the runtime.
 */
export interface ModelDevice {
  compile(plan: ModelPlan): Promise<ModelProgram>;
  /** True if programs may have dynamic axes and write in-place outputs into the fed arrays. */
  readonly growsInPlace: boolean;
  /** Keeps these arrays, and views of them, in the device's own memory between runs, if it has one. */
  hold(...arrays: readonly ModelArray[]): void;
  /**
   * The same for arrays that are not written any more; a device may store them inside the sessions that read
   * them.
   */
  freeze(...arrays: readonly ModelArray[]): void;
  /**
   * A shape for a graph of this kind, at least as large as the given one; if sessions hold frozen arrays,
   * also as any before.
   */
  grown<S extends Readonly<Record<string, number>>>(kind: string, shape: S): S;
}

/**
 * A compiled graph. Every input is fed by name with an array of its type; bool is one byte. `sizes` are the
 * lengths of dynamic axes.
 */
export interface ModelProgram {
  readonly inputs: Readonly<Record<string, TensorType>>;
  run(
    feeds: Readonly<Record<string, ModelArray>>,
    sizes?: Readonly<Record<string, number>>,
  ): Promise<Readonly<Record<string, ModelArray>>>;
  /** Releases the program's memory; a later run makes it again. */
  release(): Promise<void>;
}

export type ModelArray = Float32Array | Int32Array | BigInt64Array | Uint8Array;
export type ModelFeeds = Readonly<Record<string, ModelArray>>;

const typed = (outputs: ModelFeeds, name: string, type: string): WhetstoneError =>
  new WhetstoneError(
    'internal',
    `Output '${name}' is ${outputs[name]?.constructor.name ?? 'missing'}, not ${type}.`,
    { where: name },
  );

/** One output of a program as float32. */
export const floats = (outputs: ModelFeeds, name: string): Float32Array => {
  const values = outputs[name];
  if (values instanceof Float32Array) return values;
  throw typed(outputs, name, 'float32');
};

/** One output of a program as int32. */
export const ints = (outputs: ModelFeeds, name: string): Int32Array => {
  const values = outputs[name];
  if (values instanceof Int32Array) return values;
  throw typed(outputs, name, 'int32');
};
