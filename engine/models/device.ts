import type { Expr, TensorType } from '../tensor/index.ts';
import { WhetstoneError } from '../common/errors.ts';

export interface ModelPlan {
  readonly name: string;
  readonly outputs: Readonly<Record<string, Expr>>;
  /** Values of inputs that the program may keep in itself; what it did keep is not among its `inputs`. */
  readonly constants?: Readonly<Record<string, Float32Array>>;
  /** Output → input: written into the array that is fed. */
  readonly inPlace?: Readonly<Record<string, string>>;
  /** Names of the axes of inputs and outputs that may have another length in each run. */
  readonly axes?: Readonly<Record<string, readonly (string | null)[]>>;
  /** What the graph is, whatever its shape. */
  readonly kind?: string;
}

/**
 * What models ask of a device; `engine/runtime` offers it. Kept apart, so that nothing here depends on how
 * graphs are run.
 */
export interface ModelDevice {
  compile(plan: ModelPlan): Promise<ModelProgram>;
  /** Whether programs may have free axes, and write what is in place into the arrays that are fed. */
  readonly growsInPlace: boolean;
  /** Keeps these arrays, and views of them, in the device's own memory between runs, if it has one. */
  hold(...arrays: readonly ModelArray[]): void;
  /**
   * The same for arrays that nobody writes any more; a device may keep them inside the sessions that read
   * them.
   */
  freeze(...arrays: readonly ModelArray[]): void;
  /**
   * A shape for a graph of this kind, at least as large as asked: where sessions hold what is frozen, as any
   * before.
   */
  grown<S extends Readonly<Record<string, number>>>(kind: string, asked: S): S;
}

/**
 * A compiled graph. Every input is fed by name with an array of its type; bool is one byte. Free axes are as
 * long as `sizes` says.
 */
export interface ModelProgram {
  readonly inputs: Readonly<Record<string, TensorType>>;
  run(
    feeds: Readonly<Record<string, ModelArray>>,
    sizes?: Readonly<Record<string, number>>,
  ): Promise<Readonly<Record<string, ModelArray>>>;
  /** Frees what the program holds; a later run makes it again. */
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
