import ort from 'onnxruntime-node';
import { WhetstoneError } from '../common/errors.ts';
import { lower } from '../onnx/lower.ts';
import { bytesOf } from '../onnx/model.ts';
import { concat, input, slice, type Expr } from '../tensor/index.ts';
import type { DType, TensorType } from '../tensor/types.ts';
import { runtimeError } from './errors.ts';
import type { Values } from './program.ts';
import type { Provider } from './providers.ts';
import type { Sessions } from './sessions.ts';

/** A range of host memory and its copy on the device. `start` and `end` are bytes of the host's buffer. */
interface Block {
  readonly start: number;
  readonly end: number;
  readonly dtype: DType;
  readonly tensor: ort.Tensor;
  /** The device's copy is newer than the host's. */
  newer: boolean;
}

/** State of one host buffer: the ranges that are held, and their copies. */
interface Known {
  readonly held: Range[];
  blocks: Block[];
}
interface Range {
  readonly start: number;
  readonly end: number;
}

const rangeOf = (array: Values): Range => ({
  start: array.byteOffset,
  end: array.byteOffset + array.byteLength,
});
const overlap = (a: Range, b: Range): boolean => a.start < b.end && b.start < a.end;
const covers = (a: Range, b: Range): boolean => a.start <= b.start && b.end <= a.end;
/** The same memory as a tensor of another shape. It does not own the memory. */
const shaped = ({ gpuBuffer }: ort.Tensor, { dtype, shape }: TensorType): ort.Tensor =>
  ort.Tensor.fromGpuBuffer(gpuBuffer, { dataType: dtype as 'float32', dims: [...shape] });
const sameRange = (a: Range, b: Range): boolean => a.start === b.start && a.end === b.end;

/** One feed of a program, to be looked up in device memory. */
export interface DeviceFeed {
  readonly array: Values;
  readonly type: TensorType;
}

/**
 * Copies of host arrays in device memory. An array is identified by its range in its buffer, so a view of a
 * model's flat parameters finds the parameters that a step has just written there. Values written by the
 * device stay there until the host reads them; values written by the host must be announced. Everything
 * except `hold` and `changed` happens in the device's turn.
 */
export class DeviceMemory {
  readonly #sessions: Sessions;
  readonly #provider: Provider;
  readonly #known = new WeakMap<ArrayBufferLike, Known>();
  readonly #all = new Set<Known>();
  /** Unreferenced tensors, disposed between runs. */
  #garbage: ort.Tensor[] = [];
  readonly #forgotten = new FinalizationRegistry<Known>((known) => {
    this.#drop(known, known.blocks);
    this.#all.delete(known);
  });

  constructor(sessions: Sessions, provider: Provider) {
    this.#sessions = sessions;
    this.#provider = provider;
  }

  /** Bytes of all copies. */
  get bytes(): number {
    return [...this.#all]
      .flatMap(({ blocks }) => blocks)
      .reduce((sum, { start, end }) => sum + end - start, 0);
  }

  /** Keeps these arrays, and views of them, on the device between runs. */
  hold(array: Values): void {
    const known = this.#of(array);
    if (array.byteLength > 0 && !known.held.some((range) => covers(range, rangeOf(array))))
      known.held.push(rangeOf(array));
  }

  /** True if an array is fed from device memory. */
  holds(array: Values): boolean {
    const range = rangeOf(array);
    const known = this.#known.get(array.buffer);
    return (
      known !== undefined &&
      array.byteLength > 0 &&
      (known.held.some((held) => covers(held, range)) || known.blocks.some((block) => overlap(block, range)))
    );
  }

  /** Announces that the host has written these arrays: their copies are out of date. */
  changed(array: Values): void {
    const known = this.#known.get(array.buffer);
    const stale = known?.blocks.filter((block) => overlap(block, rangeOf(array))) ?? [];
    if (stale.some((block) => block.newer && !covers(rangeOf(array), block))) {
      throw new WhetstoneError(
        'internal',
        'A part of an array was written while its newer values are still on the device; read it first.',
      );
    }
    if (known) this.#drop(known, stale);
  }

  /** Copies the newest device values into the host's arrays. */
  async read(arrays: readonly Values[]): Promise<void> {
    for (const array of arrays) {
      for (const block of this.#known.get(array.buffer)?.blocks ?? [])
        if (block.newer && overlap(block, rangeOf(array))) await this.#download(array.buffer, block);
    }
  }

  /** Device tensors for the arrays of one run. Ranges of a larger copy are all sliced there at once. */
  async tensors(feeds: Readonly<Record<string, DeviceFeed>>): Promise<Record<string, ort.Tensor>> {
    this.collect();
    const cuts = new Map<Block, DeviceFeed[]>();
    for (const each of Object.values(feeds)) {
      const { blocks } = this.#of(each.array);
      const range = rangeOf(each.array);
      if (blocks.some((block) => sameRange(block, range))) continue;
      const whole = blocks.find((block) => covers(block, range));
      if (whole) cuts.set(whole, [...(cuts.get(whole) ?? []), each]);
    }
    for (const [whole, pieces] of cuts) await this.#cut(whole, pieces);
    const found: Record<string, ort.Tensor> = {};
    for (const [name, { array, type }] of Object.entries(feeds)) {
      const { tensor } =
        this.#of(array).blocks.find((block) => sameRange(block, rangeOf(array))) ??
        (await this.#joined(array, type.dtype)) ??
        (await this.#upload(array, type.dtype));
      found[name] = shaped(tensor, type);
    }
    return found;
  }

  /**
   * To be called before a run overwrites an array: saves surrounding values whose only copy is on the device.
   */
  async settle(array: Values): Promise<void> {
    const { blocks } = this.#of(array);
    const range = rangeOf(array);
    for (const block of blocks)
      if (block.newer && overlap(block, range) && !sameRange(block, range))
        await this.#download(array.buffer, block);
  }

  /** Stores the new value of an array after a run. */
  replace(array: Values, dtype: DType, tensor: ort.Tensor): void {
    this.hold(array);
    const known = this.#of(array);
    this.#drop(
      known,
      known.blocks.filter((block) => overlap(block, rangeOf(array))),
    );
    this.#keep(known, { ...rangeOf(array), dtype, tensor, newer: true });
  }

  /** Disposes of unreferenced tensors. */
  collect(): void {
    for (const tensor of this.#garbage.splice(0)) tensor.dispose();
  }

  /** Drops every copy; newer device values are lost. */
  clear(): void {
    for (const known of this.#all) this.#drop(known, known.blocks);
    this.collect();
  }

  #of({ buffer }: Values): Known {
    let known = this.#known.get(buffer);
    if (!known) {
      this.#known.set(buffer, (known = { held: [], blocks: [] }));
      this.#forgotten.register(buffer, known);
    }
    return known;
  }

  #keep(known: Known, block: Block): void {
    known.blocks.push(block);
    this.#all.add(known);
  }

  #drop(known: Known, dropped: readonly Block[]): void {
    this.#garbage.push(...dropped.map(({ tensor }) => tensor));
    known.blocks = known.blocks.filter((block) => !dropped.includes(block));
    if (known.blocks.length === 0) this.#all.delete(known);
  }

  /**
   * Joins an array on the device if its newest values are there in parts; the rest comes from the host.
   * Undefined if there is no such part.
   */
  async #joined(array: Values, dtype: DType): Promise<Block | undefined> {
    const known = this.#of(array);
    const range = rangeOf(array);
    const parts = known.blocks
      .filter((block) => block.newer && covers(range, block))
      .sort((a, b) => a.start - b.start);
    if (
      parts.length === 0 ||
      known.blocks.some((block) => block.newer && overlap(block, range) && !covers(range, block))
    )
      return undefined;
    const width = bytesOf[dtype];
    const feeds: Record<string, ort.Tensor> = {};
    const pieces: Expr[] = [];
    const add = (length: number, tensor: (type: TensorType) => ort.Tensor): void => {
      const type: TensorType = { dtype, shape: [length] };
      if (length === 0) return;
      feeds[`part${pieces.length}`] = tensor(type);
      pieces.push(input(`part${pieces.length}`, type));
    };
    let at = range.start;
    const fromHost = (until: number): void => {
      const from = (at - range.start) / width;
      add(
        (until - at) / width,
        ({ shape }) => new ort.Tensor(dtype, array.subarray(from, from + shape[0]) as never, shape),
      );
    };
    for (const { start, end, tensor } of parts) {
      fromHost(start);
      add((end - start) / width, (type) => shaped(tensor, type));
      at = end;
    }
    fromHost(range.end);
    const { whole } = await this.#run(
      'parameters from their parts',
      { whole: concat(pieces, 0) },
      ['whole'],
      feeds,
    );
    const block: Block = { ...range, dtype, tensor: whole, newer: false };
    this.#keep(known, block);
    return block;
  }

  async #upload(array: Values, dtype: DType): Promise<Block> {
    const range = rangeOf(array);
    await this.read([array]); // parts of it may be newer on the device
    const known = this.#of(array);
    const { out } = await this.#transfer(
      array.length,
      dtype,
      'up',
      new ort.Tensor(dtype, array as never, [array.length]),
    );
    const block: Block = { ...range, dtype, tensor: out, newer: false };
    this.#keep(known, block);
    return block;
  }

  async #download(buffer: ArrayBufferLike, block: Block): Promise<void> {
    const { start, end, dtype, tensor } = block;
    // reading the tensor's data directly ends the process; a session whose output is on the host copies it
    // safely
    const length = (end - start) / bytesOf[dtype];
    const { out } = await this.#transfer(length, dtype, 'down', shaped(tensor, { dtype, shape: [length] }));
    const data = out.data as Values;
    new Uint8Array(buffer, start, end - start).set(
      new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
    );
    block.newer = false;
  }

  async #cut(whole: Block, pieces: readonly DeviceFeed[]): Promise<void> {
    const width = bytesOf[whole.dtype];
    const type = { dtype: whole.dtype, shape: [(whole.end - whole.start) / width] };
    const base = input('whole', type);
    const distinct = pieces.filter(
      ({ array }, at) => pieces.findIndex((other) => sameRange(rangeOf(other.array), rangeOf(array))) === at,
    );
    const outputs = Object.fromEntries(
      distinct.map(({ array }, at) => {
        const from = (array.byteOffset - whole.start) / width;
        return [`piece${at}`, slice(base, 0, from, from + array.length)];
      }),
    );
    const results = await this.#run('parts of parameters', outputs, Object.keys(outputs), {
      whole: shaped(whole.tensor, type),
    });
    const known = this.#of(pieces[0].array);
    distinct.forEach(({ array }, at) =>
      this.#keep(known, {
        ...rangeOf(array),
        dtype: whole.dtype,
        tensor: results[`piece${at}`],
        newer: false,
      }),
    );
  }

  #transfer(
    length: number,
    dtype: DType,
    way: 'up' | 'down',
    tensor: ort.Tensor,
  ): Promise<ort.InferenceSession.ReturnType> {
    const name = way === 'up' ? 'copy to the device' : 'copy from the device';
    return this.#run(name, { out: input('x', { dtype, shape: [length] }) }, way === 'up' ? ['out'] : [], {
      x: tensor,
    });
  }

  async #run(
    name: string,
    outputs: Parameters<typeof lower>[1],
    stay: readonly string[],
    feeds: ort.InferenceSession.FeedsType,
  ): Promise<ort.InferenceSession.ReturnType> {
    const { bytes } = lower('graph', outputs, { target: this.#provider.target });
    const session = await this.#sessions.opener({ name, bytes, valueBytes: 0, stay })();
    try {
      return await session.run(feeds);
    } catch (error) {
      throw runtimeError(error, name);
    }
  }
}
