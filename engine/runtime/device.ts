import { availableParallelism } from 'node:os';
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
import { checkTensors, namingLargest, tensorBytesOf } from './tensor-limit.ts';

/**
 * Updates in one run where state crosses a bus: what a crossing costs is shared by so many, and their inputs
 * are still small.
 */
const BUS_STEPS = 8;

/** Bound on what cached sessions keep, unless told. */
export const CACHE_BYTES = 2 ** 31;

export interface DeviceOptions {
  readonly id: DeviceId;
  /**
   * Threads of one operator on the CPU; all cores unless told. Results repeat bit for bit only for an equal
   * number.
   */
  readonly threads?: number;
  /**
   * Bound on cached sessions, in bytes of the values they keep alive (estimated when compiled); 2 GiB unless
   * told.
   */
  readonly cacheBytes?: number;
  /**
   * Every session writes the runtime's profile of its ops to a file whose path begins so, when it is
   * released.
   */
  readonly profile?: string;
  /**
   * Updates taken in one run of a graph; unless told, several where state crosses a bus in every run, and one
   * elsewhere.
   */
  readonly stepsPerRun?: number;
  /** Bytes that one tensor may have, where not what the kind of device bounds. */
  readonly tensorBytes?: number;
  /** Sessions hold what is frozen, in place of being fed it; unless told, where feeds cross a bus. */
  readonly holdsFrozen?: boolean;
  /** Counts what programs would need in place of running them. */
  readonly tally?: Tally;
}

export interface ProgramPlan {
  /** For messages. */
  readonly name: string;
  readonly outputs: Readonly<Record<string, Expr>>;
  /**
   * Output → input of the same type: the output is written into the array that is fed, and not returned.
   * Several may be written into one array where each is made of the one before and nothing else reads that
   * later; it holds the last one in the end. Only on the CPU.
   */
  readonly inPlace?: Readonly<Record<string, string>>;
  /**
   * Values of inputs that stay as they are as long as the program lives. The CPU's runtime packs such
   * matrices once, which makes products of a few rows two to four times as fast, for two copies of them in
   * memory; `release` the program when they change. Elsewhere they remain inputs.
   */
  readonly constants?: Readonly<Record<string, Float32Array>>;
  /**
   * Names of the axes of inputs and outputs that may have another length in each run; the graph's own are an
   * example. It must compute the same whatever they are: no value that it makes by itself may be as long as
   * one of them. Only on the CPU.
   */
  readonly axes?: FreeAxes;
  /**
   * What the graph is, whatever its shape; its name unless told. Where sessions hold what is frozen, there is
   * one of a kind at a time.
   */
  readonly kind?: string;
}

/** A plan's graph, rewritten and lowered. */
interface Lowered {
  readonly facts: ProgramFacts;
  readonly outputs: Readonly<Record<string, Expr>>;
  readonly roots: readonly Expr[];
  /** Of the graph as a file. */
  readonly bytes: Uint8Array;
  /** What the graph is, whatever its shape. */
  readonly kind: string;
}

/** Programs that are remembered by the expressions that they were made of. */
const REMEMBERED = 64;

/**
 * A place where graphs run. Its sessions are cached by the bytes of their graphs: compiling the same graph
 * again costs no new session. Since equal expressions are the same object, a graph that was compiled not long
 * ago is recognized at once.
 *
 * A device with memory of its own keeps there what programs write in place, and arrays that it was told to
 * `hold`. Then the host's array is old until it is `read`, and what the host writes must be announced by
 * `changed`. On the CPU all three do nothing.
 */
export class Device {
  readonly id: DeviceId;
  readonly threads: number;
  /** Bytes that one tensor may have. */
  readonly tensorBytes: number;
  /** How many updates a learner should take in one run. */
  readonly stepsPerRun: number;
  /** Whether sessions hold what is frozen: each shape of a graph then costs a copy of it. */
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
    threads = availableParallelism(),
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
   * Whether programs may have free axes, and write what is in place into the arrays that are fed, with no
   * copy: a cache may then grow token by token.
   */
  get growsInPlace(): boolean {
    return this.id === 'cpu' && !this.holdsFrozen;
  }
  /** How many sessions are held now. */
  get cachedSessions(): number {
    return this.#sessions.size;
  }
  /** How many graphs have been lowered so far: what was compiled before is not lowered again. */
  get loweredGraphs(): number {
    return this.#lowered;
  }
  /** Bytes of the arrays that are kept in the device's own memory. */
  get heldBytes(): number {
    return this.#memory?.bytes ?? 0;
  }

  /** Bytes of what is frozen, in all sessions that hold it. */
  get frozenBytes(): number {
    return this.#sessions.frozenBytes;
  }

  /**
   * Lowers a graph and makes its session. A session that has left the cache since is made again by the next
   * run.
   */
  async compile(plan: ProgramPlan): Promise<Program> {
    await pause();
    const { name, outputs, inPlace = {}, constants, axes } = plan;
    if (constants) return this.#compiled(plan); // as short-lived as the values, and known by those alone
    const key = JSON.stringify([
      name,
      Object.entries(outputs).map(([output, { id }]) => [output, id]),
      inPlace,
      axes,
    ]);
    const known = this.#programs.get(key);
    this.#programs.delete(key);
    // the expressions stay with their program: only while they live is an equal graph made of the same ones
    const entry = known ?? { outputs, program: this.#compiled(plan) };
    this.#programs.set(key, entry);
    // a failure is the caller's to see and is tried again next time
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

  /** Rewrites and lowers a plan's graph, and says how what is in place reaches the arrays that are fed. */
  #lower({
    name,
    outputs: wanted,
    inPlace = {},
    constants = {},
    axes = {},
    kind = name,
  }: ProgramPlan): Lowered {
    const outputs = optimize(wanted);
    const roots = Object.values(outputs);
    checkTensors(name, roots, { title: this.#provider.title, tensorBytes: this.tensorBytes });
    const lowered = lower('graph', outputs, {
      target: this.#provider.target,
      axes,
      ...(this.id === 'cpu' && !this.holdsFrozen && { constants }),
    });
    // what a device makes in its own memory is always apart from what it reads
    const places = placesOf({ name, inPlace, outputs, lowered, apart: this.#memory !== undefined });
    const { inputs, bytes } = lowered;
    const facts = { name, inputs, outputs: lowered.outputs, inPlace: places, axes };
    return { facts, outputs, roots, bytes, kind };
  }

  /** A program that counts what it would need. */
  #counted({ facts, outputs, bytes, kind }: Lowered, tally: Tally): Program {
    const frozen = this.holdsFrozen ? { arrays: this.#frozen, kind } : undefined;
    const count = tally.counter(facts, outputs, bytes, frozen);
    return new Program(facts, count, async () => tally.released(bytes));
  }

  /** A program whose sessions hold the frozen arrays that it is fed: they are made by its runs. */
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

  /** A program with one session, which is opened at once. */
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
          throw namingLargest(error, roots);
        }));
    return new Program(facts, execute ?? hostRun(this.#sessions, session, facts), () =>
      this.#sessions.inTurn(() => session.release()),
    );
  }

  /** Keeps these arrays, and views of them, in the device's memory between runs. */
  hold(...arrays: readonly Values[]): void {
    for (const array of arrays) {
      this.#memory?.hold(array);
      this.#tally?.hold(array);
    }
  }

  /**
   * Says that nobody writes these arrays any more: they are held, or stand inside the sessions that read them
   * or views of them.
   */
  freeze(...arrays: readonly Values[]): void {
    for (const array of arrays) this.#frozen.add(array);
    this.hold(...arrays);
  }

  /**
   * A shape for a graph of this kind: as asked, and where sessions hold what is frozen at least as large,
   * axis by axis, as any before, so that few are made.
   */
  grown<S extends Readonly<Record<string, number>>>(kind: string, asked: S): S {
    if (!this.holdsFrozen) return asked;
    const before = this.#largest.get(kind) ?? {};
    const grown = Object.fromEntries(
      Object.entries(asked).map(([axis, length]) => [axis, Math.max(length, before[axis] ?? 0)]),
    );
    this.#largest.set(kind, grown);
    return grown as S;
  }

  /** Brings these arrays up to date with what runs have written. */
  async read(...arrays: readonly Values[]): Promise<void> {
    const memory = this.#memory;
    if (memory) await this.#sessions.inTurn(() => memory.read(arrays));
  }

  /** Says that the host has written these arrays (wholly, or after a `read`). */
  changed(...arrays: readonly Values[]): void {
    for (const array of arrays) this.#memory?.changed(array);
  }

  /** Releases every session, and what is held. Programs stay usable: the next run makes theirs again. */
  async close(): Promise<void> {
    await this.#sessions.inTurn(async () => {
      this.#memory?.clear();
      await this.#sessions.clear();
    });
  }
}

/** Opens a device and makes sure that it computes: a tiny graph is run and its result compared. */
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
