import type { Tensor } from 'onnxruntime-node';
import { WhetstoneError } from '../schema/errors.ts';
import { show, sizeOf, type DType, type TensorType } from '../tensor/types.ts';

/** Numbers of a tensor as they are fed and returned; bool is one byte, 0 or 1. */
export interface Arrays { float32: Float32Array; int32: Int32Array; int64: BigInt64Array; bool: Uint8Array }
export type Values = Arrays[DType];
export type Feeds = Readonly<Record<string, Values>>;
export type Outputs = Readonly<Record<string, Values>>;

/** What a program needs from its device. */
export interface Executor {
  /** Computes the outputs that `fetches` names, each into the tensor given or, for null, into a new one. */
  run(feeds: Readonly<Record<string, Tensor>>, fetches: Readonly<Record<string, Tensor | null>>): Promise<Readonly<Record<string, Tensor>>>;
  tensor(type: TensorType, values: Values): Tensor;
}

export const arrayOf: { readonly [D in DType]: new (length: number) => Arrays[D] } = { float32: Float32Array, int32: Int32Array, int64: BigInt64Array, bool: Uint8Array };

/** A compiled graph. Runs of one device happen one after the other. */
export class Program {
  readonly name: string;
  readonly inputs: Readonly<Record<string, TensorType>>;
  readonly outputs: Readonly<Record<string, TensorType>>;
  /** How each in-place output reaches the array that was fed: `shared` memory, or `copied` after the run because a read could come after the write. */
  readonly inPlace: Readonly<Record<string, { readonly input: string; readonly how: 'shared' | 'copied' }>>;
  readonly #executor: Executor;

  constructor(facts: Pick<Program, 'name' | 'inputs' | 'outputs' | 'inPlace'>, executor: Executor) {
    this.name = facts.name;
    this.inputs = facts.inputs;
    this.outputs = facts.outputs;
    this.inPlace = facts.inPlace;
    this.#executor = executor;
  }

  /**
   * Runs the graph once. Every input must be fed, with an array of its element type and size; in-place outputs are written into the arrays fed
   * for their inputs and are not returned. Arrays that were fed must not be touched before the promise settles.
   */
  async run(feeds: Feeds): Promise<Outputs> {
    const tensors = Object.fromEntries(Object.entries(this.inputs).map(([name, type]) => [name, this.#executor.tensor(type, this.#checked(name, type, feeds[name]))]));
    const unknown = Object.keys(feeds).find((name) => !(name in this.inputs));
    if (unknown !== undefined) throw this.#refusal(`has no input '${unknown}'; it has ${Object.keys(this.inputs).join(', ') || 'none'}`);
    this.#checkAlone(feeds);
    const fetches = Object.fromEntries(Object.keys(this.outputs).map((name) => {
      const place = this.inPlace[name];
      return [name, place?.how === 'shared' ? tensors[place.input] : null];
    }));
    const results = await this.#executor.run(tensors, fetches);
    const returned: Record<string, Values> = {};
    for (const name of Object.keys(this.outputs)) {
      const place = this.inPlace[name];
      if (!place) returned[name] = results[name].data as Values;
      else if (place.how === 'copied') (feeds[place.input] as Float32Array).set(results[name].data as Float32Array);
    }
    return returned;
  }

  #checked(name: string, type: TensorType, values: Values | undefined): Values {
    if (!values) throw this.#refusal(`needs '${name}' (${show(type)}), which was not fed`);
    if (!(values instanceof arrayOf[type.dtype]) || values.length !== sizeOf(type.shape)) {
      throw this.#refusal(`takes '${name}' as ${show(type)} (${sizeOf(type.shape)} values); it was fed ${values.constructor.name} of ${values.length}`);
    }
    return values;
  }

  /** Memory that is written during the run must not be read under another name: what was proven of the graph would not hold. */
  #checkAlone(feeds: Feeds): void {
    for (const { input, how } of Object.values(this.inPlace)) {
      const other = how === 'shared' && Object.keys(feeds).find((name) => name !== input && overlap(feeds[name], feeds[input]));
      if (other) throw this.#refusal(`writes over '${input}' while it reads the same memory as '${other}'; feed a copy of it`);
    }
  }

  #refusal(what: string): WhetstoneError { return new WhetstoneError('invalid-input', `The program '${this.name}' ${what}.`, { where: this.name }); }
}

const overlap = (a: Values, b: Values): boolean =>
  a.buffer === b.buffer && a.byteOffset < b.byteOffset + b.byteLength && b.byteOffset < a.byteOffset + a.byteLength;

/** One output as an array of a known element type; throws where the program makes another. */
export const valuesOf = <D extends DType>(outputs: Outputs, name: string, dtype: D): Arrays[D] => {
  const values: Values | undefined = outputs[name];
  if (!(values instanceof arrayOf[dtype])) throw new WhetstoneError('internal', `Output '${name}' is ${values ? values.constructor.name : 'missing'}, not ${dtype}.`, { where: name });
  return values;
};
