import { pause } from '../pace/index.ts';
import { WhetstoneError } from '../common/errors.ts';
import type { DeviceId } from '../schema/device.ts';
import { lower, type FreeAxes } from '../onnx/lower.ts';
import { add, input, matmul, sum, type Expr } from '../tensor/index.ts';
import { optimize } from '../tensor/passes/index.ts';
import { DeviceMemory } from './device-memory.ts';
import { deviceRun } from './device-run.ts';
import { peakBytes } from './footprint.ts';
import { bytesOfPlaces, FrozenArrays, frozenRun } from './frozen.ts';
import { hostRun } from './host-run.ts';
import { placesOf } from './places.ts';
import { Program, valuesOf, type Execute, type ProgramFacts, type Values } from './program.ts';
import { providers, type Provider } from './providers.ts';
import { Sessions } from './sessions.ts';
import type { Tally } from './tally.ts';
import { checkTensors, withLargestTensor, tensorBytesOf } from './tensor-limit.ts';
import { threadCount } from './threads.ts';

/**
 * Updates per run for devices behind a bus: they share the cost of a transfer, and their inputs are still
 * small.
 */
const BUS_STEPS = 8;

/** Default memory bound of cached sessions, in bytes. */
export const CACHE_BYTES = 2 ** 31;

export interface DeviceOptions {
  readonly id: DeviceId;
  /**
   * Threads of one operator on the CPU; all cores by default, or as WHETSTONE_THREADS states. Results repeat
   * bit for bit only for an equal number.
   */
  readonly threads?: number;
  /**
   * Bound on cached sessions, in bytes of the values they keep alive (estimated when compiled); 2 GiB by
   * default.
   */
  readonly cacheBytes?: number;
  /** Path prefix of the runtime's op profile, which every session writes when it is released. */
  readonly profile?: string;
  /** Updates per graph run; by default several on devices behind a bus, one elsewhere. */
  readonly stepsPerRun?: number;
  /** Maximum bytes of one tensor, overriding the bound of the kind of device. */
  readonly tensorBytes?: number;
  /** True if sessions store frozen arrays instead of being fed them; by default if feeds cross a bus. */
  readonly holdsFrozen?: boolean;
  /** Counts what programs would need instead of running them. */
  readonly tally?: Tally;
}

export interface ProgramPlan {
  /** Used in messages. */
  readonly name: string;
  readonly outputs: Readonly<Record<string, Expr>>;
  /**
   * Output → input of the same type: the output is written into the fed array, and not returned. Several
   * outputs may be written into one array if each is made from the one before and nothing else reads that
   * later; the array then holds the last one. Only on the CPU.
   */
  readonly inPlace?: Readonly<Record<string, string>>;
  /**
   * Values of inputs that do not change during the program's life. The CPU runtime packs such matrices once,
   * which makes products of a few rows two to four times as fast, for two copies of them in memory;
   * `release` the program when they change. On other devices they remain inputs.
   */
  readonly constants?: Readonly<Record<string, Float32Array>>;
  /**
   * Names of the dynamic axes of inputs and outputs; their length in the graph is an example. The graph must
   * compute the same for every length: no value that it makes by itself may be as long as a dynamic axis.
   * Only on the CPU.
   */
  readonly axes?: FreeAxes;
  /**
   * Kind of the graph, whatever its shapes; its name by default. If sessions hold frozen arrays, there is
   * one session of a kind at a time.
   */
  readonly kind?: string;
}

/** A plan's graph, rewritten and lowered. */
interface Lowered {
  readonly facts: ProgramFacts;
  readonly outputs: Readonly<Record<string, Expr>>;
  readonly roots: readonly Expr[];
  /** Bytes of the graph as an ONNX file. */
  readonly bytes: Uint8Array;
  /** Kind of the graph, whatever its shapes. */
  readonly kind: string;
}

/** Number of programs remembered by the expressions they were made from. */
const REMEMBERED = 64;

/**
 * A device that runs graphs. Its sessions are cached by the bytes of their graphs: compiling the same graph
 * again costs no new session. Since equal expressions are the same object, a recently compiled graph is
 * recognized at once.
 *
 * A device with its own memory keeps in-place outputs and `hold`-ed arrays there. The host's array is then
 * out of date until it is `read`, and host writes must be announced by `changed`. On the CPU all three do
 * nothing.
 */
export class Device {
  readonly id: DeviceId;
  readonly threads: number;
  /** Maximum bytes of one tensor. */
  readonly tensorBytes: number;
  /** Number of updates that a training program should take per run. */
  readonly stepsPerRun: number;
  /** True if sessions hold frozen arrays: each shape of a graph then costs a copy of them. */
  readonly holdsFrozen: boolean;
  readonly #provider: Provider;
  readonly #sessions: Sessions;
  readonly #memory: DeviceMemory | undefined;
  readonly #frozen = new FrozenArrays((file) => void this.#sessions.forget(file));
  readonly #largest = new Map<string, Readonly<Record<string, number>>>();
  readonly #programs = new Map<
    string,
    { readonly outputs: Readonly<Record<string, Expr>>; readonly program: Promise<Program> }
  >();
  #lowered = 0;
  readonly #tally: Tally | undefined;

  constructor({
    id,
    threads = threadCount(),
    cacheBytes = CACHE_BYTES,
    profile,
    tally,
    stepsPerRun,
    holdsFrozen,
    tensorBytes = tensorBytesOf(id),
  }: DeviceOptions) {
    this.id = id;
    this.threads = threads;
    this.#provider = providers[id];
    this.stepsPerRun = stepsPerRun ?? (this.#provider.memory === 'bus' ? BUS_STEPS : 1);
    this.holdsFrozen = holdsFrozen ?? this.#provider.memory === 'bus';
    this.#sessions = new Sessions(this.#provider, {
      threads,
      cacheBytes,
      ...(profile !== undefined && { profile }),
    });
    this.#tally = tally;
    this.tensorBytes = tensorBytes;
    this.#memory =
      this.#provider.memory === 'device' ? new DeviceMemory(this.#sessions, this.#provider) : undefined;
  }

  /**
   * True if programs may have dynamic axes and write in-place outputs into the fed arrays without a copy: a
   * KV cache can then grow token by token.
   */
  get growsInPlace(): boolean {
    return this.id === 'cpu' && !this.holdsFrozen;
  }
  /** Number of sessions in the cache. */
  get cachedSessions(): number {
    return this.#sessions.size;
  }
  /** Number of graphs lowered so far; a graph that was compiled before is not lowered again. */
  get loweredGraphs(): number {
    return this.#lowered;
  }
  /** Bytes of the arrays kept in the device's own memory. */
  get heldBytes(): number {
    return this.#memory?.bytes ?? 0;
  }

  /** Bytes of frozen arrays, summed over the sessions that hold them. */
  get frozenBytes(): number {
    return this.#sessions.frozenBytes;
  }

  /** Lowers a graph and makes its session. If the session is evicted later, the next run makes it again. */
  async compile(plan: ProgramPlan): Promise<Program> {
    await pause();
    const { name, outputs, inPlace = {}, constants, axes } = plan;
    if (constants) return this.#compiled(plan); // not cached: such a program depends on the values, and lives no longer than they do
    const key = JSON.stringify([
      name,
      Object.entries(outputs).map(([output, { id }]) => [output, id]),
      inPlace,
      axes,
    ]);
    const known = this.#programs.get(key);
    this.#programs.delete(key);
    // the entry keeps the expressions alive: only then is an equal graph the same object
    const entry = known ?? { outputs, program: this.#compiled(plan) };
    this.#programs.set(key, entry);
    // the caller sees a failure; the next call tries again
    entry.program.catch(() => this.#programs.delete(key));
    for (const oldest of this.#programs.keys())
      if (this.#programs.size > REMEMBERED) this.#programs.delete(oldest);
    return entry.program;
  }

  async #compiled(plan: ProgramPlan): Promise<Program> {
    this.#lowered++;
    const graph = this.#lower(plan);
    if (this.#tally) return this.#counted(graph, this.#tally);
    return this.holdsFrozen ? this.#holding(graph) : this.#opened(graph);
  }

  /** Rewrites and lowers a plan's graph, and decides how each in-place output reaches its array. */
  #lower({
    name,
    outputs: requested,
    inPlace = {},
    constants = {},
    axes = {},
    kind = name,
  }: ProgramPlan): Lowered {
    const outputs = optimize(requested);
    const roots = Object.values(outputs);
    checkTensors(name, roots, { title: this.#provider.title, tensorBytes: this.tensorBytes });
    const lowered = lower('graph', outputs, {
      target: this.#provider.target,
      axes,
      ...(this.id === 'cpu' && !this.holdsFrozen && { constants }),
    });
    // outputs that a device makes in its own memory never share memory with inputs
    const places = placesOf({ name, inPlace, outputs, lowered, separate: this.#memory !== undefined });
    const { inputs, bytes } = lowered;
    const facts = { name, inputs, outputs: lowered.outputs, inPlace: places, axes };
    return { facts, outputs, roots, bytes, kind };
  }

  /** A program that only counts its needs. */
  #counted({ facts, outputs, bytes, kind }: Lowered, tally: Tally): Program {
    const frozen = this.holdsFrozen ? { arrays: this.#frozen, kind } : undefined;
    const count = tally.counter(facts, outputs, bytes, frozen);
    return new Program(facts, count, async () => tally.released(bytes));
  }

  /** A program whose sessions hold the frozen arrays it is fed; they are made by its runs. */
  #holding({ facts, outputs, roots, kind }: Lowered): Program {
    const { name, axes } = facts;
    const { target } = this.#provider;
    const valueBytes = peakBytes(roots);
    const keys = new Set<string>();
    const run = frozenRun(this.#frozen, facts, ({ places: external, files }) => {
      const { bytes, inputs } = lower('graph', outputs, { target, axes, external });
      const own = this.#sessions.opener({
        name,
        bytes,
        valueBytes,
        ...(files.size > 0 && {
          frozen: { files, bytes: bytesOfPlaces(external), kind: `${kind} of ${[...files.keys()].join()}` },
        }),
      });
      keys.add(own.key);
      return hostRun(this.#sessions, own, { ...facts, inputs });
    });
    return new Program(facts, run, () => this.#sessions.inTurn(() => this.#sessions.drop(keys)));
  }

  /** A program with one session, opened at once. */
  async #opened({ facts, roots, bytes }: Lowered): Promise<Program> {
    const session = this.#sessions.opener({
      name: facts.name,
      bytes,
      valueBytes: peakBytes(roots),
      brief: Object.keys(facts.axes).length > 0,
      ...(this.#memory && { stay: Object.keys(facts.inPlace) }),
    });
    await this.#sessions.inTurn(session);
    const onDevice = this.#memory && deviceRun(this.#sessions, session, this.#memory, facts);
    const execute =
      onDevice &&
      ((...run: Parameters<Execute>) =>
        onDevice(...run).catch((error: unknown) => {
          throw withLargestTensor(error, roots);
        }));
    return new Program(facts, execute ?? hostRun(this.#sessions, session, facts), () =>
      this.#sessions.inTurn(() => session.release()),
    );
  }

  /** Keeps these arrays, and views of them, in device memory between runs. */
  hold(...arrays: readonly Values[]): void {
    for (const array of arrays) {
      this.#memory?.hold(array);
      this.#tally?.hold(array);
    }
  }

  /**
   * Declares that these arrays are not written any more: they are held on the device, or stored inside the
   * sessions that read them or views of them.
   */
  freeze(...arrays: readonly Values[]): void {
    for (const array of arrays) this.#frozen.add(array);
    this.hold(...arrays);
  }

  /**
   * A shape for a graph of this kind: the given one, and if sessions hold frozen arrays, at least as large
   * as any before, axis by axis, so that few sessions are made.
   */
  grown<S extends Readonly<Record<string, number>>>(kind: string, shape: S): S {
    if (!this.holdsFrozen) return shape;
    const before = this.#largest.get(kind) ?? {};
    const grown = Object.fromEntries(
      Object.entries(shape).map(([axis, length]) => [axis, Math.max(length, before[axis] ?? 0)]),
    );
    this.#largest.set(kind, grown);
    return grown as S;
  }

  /** Brings these arrays up to date with the values written by runs. */
  async read(...arrays: readonly Values[]): Promise<void> {
    const memory = this.#memory;
    if (memory) await this.#sessions.inTurn(() => memory.read(arrays));
  }

  /** Announces that the host has written these arrays (completely, or after a `read`). */
  changed(...arrays: readonly Values[]): void {
    for (const array of arrays) this.#memory?.changed(array);
  }

  /** Releases every session and held array. Programs stay usable: the next run makes its session again. */
  async close(): Promise<void> {
    await this.#sessions.inTurn(async () => {
      this.#memory?.clear();
      await this.#sessions.clear();
    });
  }
}

/** Opens a device and checks that it computes, by running a tiny graph and comparing its result. */
export const openDevice = async (options: DeviceOptions): Promise<Device> => {
  const device = new Device(options);
  const x = input('x', { dtype: 'float32', shape: [2, 2] });
  const program = await device.compile({ name: 'self-check', outputs: { y: add(matmul(x, x), sum(x)) } });
  const y: Values = valuesOf(await program.run({ x: Float32Array.of(1, 2, 3, 4) }), 'y', 'float32');
  if (y.join() !== '17,20,25,32') {
    throw new WhetstoneError(
      'device-failed',
      `The device '${device.id}' computed ${y.join(', ')} where 17, 20, 25, 32 is right.`,
      { where: device.id, hint: 'Choose another device.' },
    );
  }
  return device;
};
