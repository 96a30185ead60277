import { normals } from '../random/random.ts';
import { WhetstoneError } from '../common/errors.ts';
import { orthogonalize } from './orthogonal.ts';

/**
 * Initialization of a parameter: constant, normal with a standard deviation, or a matrix with orthonormal rows or
 * columns times a gain.
 */
export type Init =
  | { readonly kind: 'fill'; readonly value: number }
  | { readonly kind: 'normal'; readonly sd: number }
  | { readonly kind: 'orthogonal'; readonly gain: number };

/** A parameter declared by a model family. */
export interface ParameterSpec {
  readonly name: string;
  readonly shape: readonly number[];
  readonly init: Init;
}

/** A parameter's range in the flat array. `offset` and `size` count float32 values. */
export interface ParameterSlot {
  readonly name: string;
  readonly shape: readonly number[];
  readonly offset: number;
  readonly size: number;
}

/** Writes a parameter's initial values, drawn by seed and its position among the model's parameters. */
export const initialize = (
  into: Float32Array,
  { init, shape }: Pick<ParameterSpec, 'init' | 'shape'>,
  { seed, place }: { readonly seed: number; readonly place: number },
): void => {
  if (init.kind === 'fill') {
    into.fill(init.value);
    return;
  }
  normals(into, seed, 'parameters', place);
  if (init.kind === 'orthogonal') orthogonalize(into, shape[0], shape[1]);
  const scale = init.kind === 'orthogonal' ? init.gain : init.sd;
  for (let i = 0; i < into.length; i++) into[i] *= scale;
};

/** Ranges of parameters, contiguous and in order. */
export const layoutOf = (specs: readonly Omit<ParameterSpec, 'init'>[]): ParameterSlot[] => {
  let offset = 0;
  return specs.map(({ name, shape }) => {
    const size = shape.reduce((a, b) => a * b, 1);
    const slot = { name, shape, offset, size };
    offset += size;
    return slot;
  });
};

/**
 * A model's parameters: ordered names and shapes over ONE flat Float32Array. Views share its memory, so an
 * optimizer that writes the flat array in place updates every view, and the reverse.
 */
export class ParameterSet {
  readonly slots: readonly ParameterSlot[];
  readonly flat: Float32Array;
  readonly #byName: ReadonlyMap<string, ParameterSlot>;

  /** Throws `invalid-input` if two parameters share a name or `flat` does not have the layout's length. */
  constructor(slots: readonly ParameterSlot[], flat?: Float32Array) {
    const size = slots.reduce((total, slot) => total + slot.size, 0);
    this.slots = slots;
    this.flat = flat ?? new Float32Array(size);
    this.#byName = new Map(slots.map((slot) => [slot.name, slot]));
    if (this.#byName.size !== slots.length)
      throw new WhetstoneError('invalid-input', 'Two parameters have the same name.', {
        where: 'parameters',
      });
    if (this.flat.length !== size)
      throw new WhetstoneError(
        'invalid-input',
        `${size} parameters do not fit an array of ${this.flat.length} values.`,
        { where: 'parameters' },
      );
  }

  /** New parameters, deterministic in the seed and each parameter's position. */
  static initialize(specs: readonly ParameterSpec[], seed: number): ParameterSet {
    const set = new ParameterSet(layoutOf(specs));
    specs.forEach((spec, place) => initialize(set.view(spec.name), spec, { seed, place }));
    return set;
  }

  /** Number of values. */
  get size(): number {
    return this.flat.length;
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  slot(name: string): ParameterSlot {
    const slot = this.#byName.get(name);
    if (!slot)
      throw new WhetstoneError('internal', `There is no parameter '${name}'.`, { where: 'parameters' });
    return slot;
  }

  /** View of a parameter's values in `flat`. */
  view(name: string): Float32Array {
    const { offset, size } = this.slot(name);
    return this.flat.subarray(offset, offset + size);
  }

  /** The same layout over its own copy of the values (a snapshot: the initial policy, a reference). */
  clone(): ParameterSet {
    return new ParameterSet(this.slots, this.flat.slice());
  }
}
