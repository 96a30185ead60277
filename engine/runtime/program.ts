import { pause } from '../pace/index.ts';
import { WhetstoneError } from '../common/errors.ts';
import { show, sizeOf, type DType, type TensorType } from '../tensor/types.ts';

/** Typed arrays for feeds and outputs by element type; bool is one byte, 0 or 1. */
export interface Arrays {
  float32: Float32Array;
  int32: Int32Array;
  int64: BigInt64Array;
  uint8: Uint8Array;
  bool: Uint8Array;
}
export type Values = Arrays[DType];
export type Feeds = Readonly<Record<string, Values>>;
export type Outputs = Readonly<Record<string, Values>>;
/** Lengths of a program's dynamic axes in one run, by name. */
export type Sizes = Readonly<Record<string, number>>;

/**
 * Interface of a program. `inPlace` says how each in-place output reaches the fed array: `shared` memory, or
 * `copied` after the run.
 */
export interface ProgramFacts {
  readonly name: string;
  readonly inputs: Readonly<Record<string, TensorType>>;
  readonly outputs: Readonly<Record<string, TensorType>>;
  readonly inPlace: Readonly<Record<string, { readonly input: string; readonly how: 'shared' | 'copied' }>>;
  /** Names of the dynamic axes by input and output; the types give the other lengths. */
  readonly axes: Readonly<Record<string, readonly (string | null)[]>>;
}

/** Shape of an input or output in a run with these sizes. */
export const shapeIn = (
  { axes }: ProgramFacts,
  name: string,
  { shape }: TensorType,
  sizes: Sizes,
): readonly number[] => {
  const named = axes[name] as readonly (string | null)[] | undefined;
  return named ? shape.map((length, at) => sizes[named[at] ?? ''] ?? length) : shape;
};

/**
 * Runs a program with checked feeds and returns every output that is not in place; supplied by the device.
 */
export type Execute = (feeds: Feeds, sizes: Sizes) => Promise<Outputs>;

export const arrayOf: { readonly [D in DType]: new (length: number) => Arrays[D] } = {
  float32: Float32Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  bool: Uint8Array,
};

/** A compiled graph. Runs of one device are sequential. */
export class Program implements ProgramFacts {
  readonly name: string;
  readonly inputs: Readonly<Record<string, TensorType>>;
  readonly outputs: Readonly<Record<string, TensorType>>;
  /**
   * How each in-place output reaches the fed array: `shared` memory, or `copied` after the run because a
   * read could come after the write.
   */
  readonly inPlace: Readonly<Record<string, { readonly input: string; readonly how: 'shared' | 'copied' }>>;
  readonly axes: ProgramFacts['axes'];
  /** Inputs whose arrays a run writes. */
  readonly #written: ReadonlySet<string>;
  readonly #execute: Execute;
  readonly #release: () => Promise<void>;

  constructor(facts: ProgramFacts, execute: Execute, release: () => Promise<void>) {
    this.name = facts.name;
    this.inputs = facts.inputs;
    this.outputs = facts.outputs;
    this.inPlace = facts.inPlace;
    this.axes = facts.axes;
    this.#written = new Set(
      Object.values(facts.inPlace).flatMap(({ input, how }) => (how === 'shared' ? [input] : [])),
    );
    this.#execute = execute;
    this.#release = release;
  }

  /** Releases the program's session; a later run makes it again. */
  release(): Promise<void> {
    return this.#release();
  }

  /**
   * Runs the graph once, with these `sizes` of its dynamic axes (the graph's own by default). Every input
   * must be fed, with an array of its element type and size; in-place outputs are written into the arrays
   * fed for their inputs and are not returned; a device with its own memory keeps them there until
   * `device.read`. Fed arrays must not be touched before the promise settles.
   */
  async run(feeds: Feeds, sizes: Sizes = {}): Promise<Outputs> {
    // a run blocks the event loop: handle pending messages first
    await pause();
    for (const name in this.inputs)
      this.#check(
        name,
        { dtype: this.inputs[name].dtype, shape: shapeIn(this, name, this.inputs[name], sizes) },
        feeds[name],
      );
    for (const unknown in feeds)
      if (!(unknown in this.inputs))
        throw this.#refusal(
          `has no input '${unknown}'; it has ${Object.keys(this.inputs).join(', ') || 'none'}`,
        );
    this.#checkAlone(feeds);
    return this.#execute(feeds, sizes);
  }

  #check(name: string, type: TensorType, values: Values | undefined): void {
    if (!values) throw this.#refusal(`needs '${name}' (${show(type)}), which was not fed`);
    if (!(values instanceof arrayOf[type.dtype]) || values.length !== sizeOf(type.shape)) {
      throw this.#refusal(
        `takes '${name}' as ${show(type)} (${sizeOf(type.shape)} values); it was fed ` +
          `${values.constructor.name} of ${values.length}`,
      );
    }
  }

  /** Checks that no other feed overlaps memory that the run writes, on which the in-place proof relies. */
  #checkAlone(feeds: Feeds): void {
    const written = this.#written;
    const buffers = new Map<ArrayBufferLike, [string, Values][]>();
    if (written.size === 0) return;
    for (const name in feeds) {
      const { buffer } = feeds[name];
      const fed = buffers.get(buffer);
      if (fed) fed.push([name, feeds[name]]);
      else buffers.set(buffer, [[name, feeds[name]]]);
    }
    for (const fed of buffers.values()) {
      if (fed.length === 1) continue;
      const sorted = fed
        .filter(([, { byteLength }]) => byteLength > 0)
        .sort(([, a], [, b]) => a.byteOffset - b.byteOffset);
      // end of the ranges passed so far: of the written arrays, and of all
      let late = { end: 0, name: '' };
      let lateWritten = late;
      for (const [name, { byteOffset, byteLength }] of sorted) {
        const end = byteOffset + byteLength;
        if (written.has(name) && byteOffset < late.end) throw this.#overlap(name, late.name);
        if (byteOffset < lateWritten.end) throw this.#overlap(lateWritten.name, name);
        if (end > late.end) late = { end, name };
        if (written.has(name) && end > lateWritten.end) lateWritten = { end, name };
      }
    }
  }

  #overlap(written: string, read: string): WhetstoneError {
    return this.#refusal(
      `writes over '${written}' while it reads the same memory as '${read}'; feed a copy of it`,
    );
  }

  #refusal(what: string): WhetstoneError {
    return new WhetstoneError('invalid-input', `The program '${this.name}' ${what}.`, { where: this.name });
  }
}

/** One output as an array of a known element type; throws for another type. */
export const valuesOf = <D extends DType>(outputs: Outputs, name: string, dtype: D): Arrays[D] => {
  const values: Values | undefined = outputs[name];
  if (!(values instanceof arrayOf[dtype]))
    throw new WhetstoneError(
      'internal',
      `Output '${name}' is ${values ? values.constructor.name : 'missing'}, not ${dtype}.`,
      { where: name },
    );
  return values;
};
