import ort from 'onnxruntime-node';
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { WhetstoneError } from '../schema/errors.ts';
import { lower, unreturnable } from '../onnx/lower.ts';
import { add, input, matmul, sum, type Expr } from '../tensor/index.ts';
import { optimize } from '../tensor/passes/index.ts';
import { sameShape, show, sizeOf, type TensorType } from '../tensor/types.ts';
import { LruCache, type Held } from './cache.ts';
import { runtimeError } from './errors.ts';
import { peakBytes } from './footprint.ts';
import { mayShare } from './in-place.ts';
import { arrayOf, Program, valuesOf, type Executor, type Values } from './program.ts';

export interface DeviceOptions {
  readonly id: 'cpu';
  /** Threads of one operator; all cores unless told. Results repeat bit for bit only for an equal number. */
  readonly threads?: number;
  /** Bound on cached sessions, in bytes of the values they keep alive (estimated when compiled); 2 GiB unless told. */
  readonly cacheBytes?: number;
  /** Every session writes the runtime's profile of its ops to a file whose path begins so, when it is released. */
  readonly profile?: string;
}

export interface ProgramPlan {
  /** For messages. */
  readonly name: string;
  readonly outputs: Readonly<Record<string, Expr>>;
  /** Output → input of the same type: the output is written into the array that is fed, and not returned. */
  readonly inPlace?: Readonly<Record<string, string>>;
}

type Session = ort.InferenceSession & Held;

/** A place where graphs run. Its sessions are cached by the bytes of their graphs: compiling the same graph again costs no new session. */
export class Device {
  readonly id: string;
  readonly threads: number;
  readonly #sessions: LruCache<Session>;
  readonly #profile: string | undefined;
  #opened = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ id, threads = availableParallelism(), cacheBytes = 2 ** 31, profile }: DeviceOptions) {
    this.id = id;
    this.threads = threads;
    this.#sessions = new LruCache(cacheBytes);
    this.#profile = profile;
  }

  /** How many sessions are held now. */
  get cachedSessions(): number { return this.#sessions.size; }

  /** Lowers a graph and makes its session. A session that has left the cache since is made again by the next run. */
  async compile({ name, outputs: wanted, inPlace = {} }: ProgramPlan): Promise<Program> {
    const outputs = optimize(wanted);
    const roots = Object.values(outputs);
    // One name for all: sessions are shared by what they compute, whatever a caller names it.
    const lowered = lower('graph', outputs);
    const places = Object.fromEntries(Object.entries(inPlace).map(([output, into]) => {
      checkPlace(name, output, lowered.outputs[output], into, lowered.inputs[into]);
      return [output, { input: into, how: mayShare(outputs[output], into, roots) ? 'shared' as const : 'copied' as const }];
    }));
    const key = createHash('sha256').update(lowered.bytes).digest('hex');
    const bytes = peakBytes(roots) + lowered.bytes.length;
    const session = () => this.#sessions.get(key, bytes, () => this.#open(name, lowered.bytes));
    await this.#inTurn(session);
    const executor: Executor = {
      tensor: (type, values) => new ort.Tensor(type.dtype, values as never, type.shape),
      run: (feeds, fetches) => this.#inTurn(async () => runInto(await session(), feeds, withPlaces(fetches, lowered.outputs), name)),
    };
    return new Program({ name, inputs: lowered.inputs, outputs: lowered.outputs, inPlace: places }, executor);
  }

  /** Releases every session. Programs stay usable: the next run makes theirs again. */
  async close(): Promise<void> { await this.#inTurn(() => this.#sessions.clear()); }

  async #open(name: string, bytes: Uint8Array): Promise<Session> {
    try {
      return await ort.InferenceSession.create(bytes, {
        executionProviders: ['cpu'], executionMode: 'sequential',
        // The graph runs as it was verified: what may be written in place was decided on it. The runtime's own rewrites make steps no faster
        // (38–41 ms of processor time with and without) and sessions twice as slow to create.
        graphOptimizationLevel: 'disabled',
        intraOpNumThreads: this.threads, interOpNumThreads: 1, enableMemPattern: false, logSeverityLevel: 4,
        // Threads wait for their next piece of work awake, but not for long: as fast as waiting without bound on a quiet machine (22.0 against
        // 22.7 ms a step of a small model), and twice as fast on one where others want the cores too (24 against 52 ms).
        extra: { session: { intra_op: { spin_duration_us: '100' } } },
        ...(this.#profile !== undefined && { enableProfiling: true, profileFilePrefix: `${this.#profile}-${this.#opened++}` }),
      });
    } catch (error) {
      throw runtimeError(error, name);
    }
  }

  /** Runs and releases never overlap: a run blocks the thread anyway, and a session must not be released under one. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work, work);
    this.#last = result.catch(() => undefined); // the caller has the error; the queue only waits
    return result;
  }
}

type Places = Readonly<Record<string, ort.Tensor>>;

/** A tensor for every output: the one that is given, or a new one. */
const withPlaces = (fetches: Readonly<Record<string, ort.Tensor | null>>, types: Readonly<Record<string, TensorType>>): Places =>
  Object.fromEntries(Object.entries(fetches).map(([name, given]) => {
    const { dtype, shape } = types[name];
    return [name, given ?? new ort.Tensor(dtype, new arrayOf[dtype](sizeOf(shape)) as never, shape)];
  }));

/**
 * Runs a session with every output written into its place, and none copied back: the copies and their fresh memory cost 2.2 ms for each million
 * values returned, ten times the pass that writes them. The run has ended when the binding finds that it cannot return the graph's first output.
 */
const runInto = async (session: ort.InferenceSession, feeds: Readonly<Record<string, ort.Tensor>>, places: Places, where: string): Promise<Places> => {
  try {
    await session.run(feeds, { [unreturnable]: null, ...places });
  } catch (error) {
    if (!(error instanceof Error && error.message === 'Non tensor type is temporarily not supported.')) throw runtimeError(error, where);
  }
  return places;
};

const checkPlace = (name: string, output: string, made: TensorType | undefined, into: string, fed: TensorType | undefined): void => {
  if (!made || !fed || made.dtype !== fed.dtype || !sameShape(made.shape, fed.shape)) {
    throw new WhetstoneError('invalid-input', `'${name}' cannot write '${output}' (${made ? show(made) : 'no such output'}) over '${into}' (${fed ? show(fed) : 'no such input'}).`, { where: name });
  }
};

/** Opens a device and makes sure that it computes: a tiny graph is run and its result compared. */
export const openDevice = async (options: DeviceOptions): Promise<Device> => {
  const device = new Device(options);
  const x = input('x', { dtype: 'float32', shape: [2, 2] });
  const program = await device.compile({ name: 'self-check', outputs: { y: add(matmul(x, x), sum(x)) } });
  const y: Values = valuesOf(await program.run({ x: Float32Array.of(1, 2, 3, 4) }), 'y', 'float32');
  if (y.join() !== '17,20,25,32') {
    throw new WhetstoneError('device-failed', `The device '${device.id}' computed ${y.join(', ')} where 17, 20, 25, 32 is right.`, { where: device.id, hint: 'Choose another device.' });
  }
  return device;
};
