/**
 * Runs users' code and queries in isolation: in WebAssembly, in a process without files, environment or
 * network, which is replaced when it hangs.
 */
import { WhetstoneError } from '../common/errors.ts';
import { spawnSandbox } from './channel.ts';
import {
  defaultLimits,
  type Data,
  type FromSandbox,
  type JsTask,
  type Limits,
  type Outcome,
  type SandboxChannel,
  type SpawnSandbox,
  type SqlRows,
  type SqlTask,
  type Task,
} from '../schema/sandbox.ts';

export { defaultLimits, sandboxErrorKinds } from '../schema/sandbox.ts';
export type { Data, Limits, Outcome, SandboxErrorKind, SqlRows } from '../schema/sandbox.ts';

/** Tasks per message. */
const CHUNK = 256;
const START_MS = 60_000;
/**
 * Wall-clock limit of a task whose engine cannot measure its processor time; generous, since a busy machine
 * interrupts it.
 */
const longestWait = (timeMs: number): number => 4 * timeMs + 1000;

type AnyOutcome = Outcome<Data | SqlRows>;

/** One process, reused by queued calls. */
export class Sandbox {
  readonly #spawn: SpawnSandbox;
  #child: Promise<Child> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #batches = 0;
  /** Number of processes started so far. */
  started = 0;

  constructor(spawn: SpawnSandbox = spawnSandbox()) {
    this.#spawn = spawn;
  }

  /**
   * Calls each task's function with its arguments, each in a fresh engine. Code that fails is an outcome;
   * only a sandbox that cannot start throws (`device-failed`).
   */
  runJs(tasks: readonly Omit<JsTask, 'kind'>[], limits: Partial<Limits> = {}): Promise<Outcome[]> {
    return this.#queued(
      tasks.map((task): Task => ({ kind: 'js', ...task })),
      limits,
    ) as Promise<Outcome[]>;
  }

  /**
   * Runs each query on the tables that its setup makes. Consecutive queries with one setup share the tables:
   * a query cannot change them.
   */
  runSql(tasks: readonly Omit<SqlTask, 'kind'>[], limits: Partial<Limits> = {}): Promise<Outcome<SqlRows>[]> {
    return this.#queued(
      tasks.map((task): Task => ({ kind: 'sql', ...task })),
      limits,
    ) as Promise<Outcome<SqlRows>[]>;
  }

  /** Ends the process; the next call starts another. */
  async close(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    // one that could not start has ended by itself
    await child?.then(
      (live) => live.kill(),
      () => undefined,
    );
  }

  #queued(tasks: readonly Task[], limits: Partial<Limits>): Promise<AnyOutcome[]> {
    const made = this.#last.then(() => this.#all(tasks, { ...defaultLimits, ...limits }));
    this.#last = made.catch(() => undefined);
    return made;
  }

  async #all(tasks: readonly Task[], limits: Limits): Promise<AnyOutcome[]> {
    const outcomes: AnyOutcome[] = [];
    while (outcomes.length < tasks.length) {
      const child = await this.#ready();
      const { made, alive } = await child.run({
        batch: ++this.#batches,
        tasks: tasks.slice(outcomes.length, outcomes.length + CHUNK),
        limits,
      });
      outcomes.push(...made);
      if (!alive) this.#child = undefined;
    }
    return outcomes;
  }

  async #ready(): Promise<Child> {
    const child = (this.#child ??= this.#start());
    try {
      const live = await child;
      if (live.reason === undefined) return live;
    } catch (error) {
      this.#child = undefined;
      throw error;
    }
    // it ended between two calls
    this.#child = this.#start();
    return this.#child;
  }

  #start(): Promise<Child> {
    this.started++;
    const child = new Child(this.#spawn());
    return child.ready.then(() => child);
  }
}

class Child {
  readonly ready: Promise<void>;
  /** Reason for its end; undefined while it runs. */
  reason: string | undefined;
  readonly #channel: SandboxChannel;
  #receive: (message: FromSandbox) => void = () => undefined;
  #gone: (reason: string) => void = () => undefined;

  constructor(channel: SandboxChannel) {
    this.#channel = channel;
    channel.onMessage((message) => this.#receive(message));
    channel.onExit((reason) => {
      this.reason ??= reason;
      this.#gone(reason);
    });
    this.ready = new Promise((resolve, reject) => {
      const failed = (how: string): void => {
        clearTimeout(late);
        reject(
          new WhetstoneError('device-failed', `The sandbox for code and queries ${how}.`, {
            where: 'sandbox',
            hint: 'None of the code has run. Start Whetstone again; another program may prevent new processes.',
          }),
        );
      };
      const late = setTimeout(() => {
        this.kill();
        failed(`did not start within ${START_MS / 1000} s`);
      }, START_MS);
      this.#gone = failed;
      this.#receive = (message) => {
        if (message.type !== 'ready') return;
        clearTimeout(late);
        resolve();
      };
    });
  }

  kill(): void {
    this.reason ??= 'was ended';
    this.#channel.kill();
  }

  /** The outcomes up to the end, or up to the task that crashed or hung the process. */
  run(message: {
    readonly batch: number;
    readonly tasks: readonly Task[];
    readonly limits: Limits;
  }): Promise<{ readonly made: AnyOutcome[]; readonly alive: boolean }> {
    const { batch, tasks, limits } = message;
    const made: AnyOutcome[] = [];
    return new Promise((resolve) => {
      let watchdog: NodeJS.Timeout;
      const end = (alive: boolean): void => {
        clearTimeout(watchdog);
        this.#receive = () => undefined;
        this.#gone = () => undefined;
        resolve({ made, alive });
      };
      const watch = (): void => {
        watchdog = setTimeout(() => {
          this.kill();
          made.push({
            ok: false,
            error: { kind: 'timeout', message: `It did not end within ${limits.timeMs} ms.` },
            ms: limits.timeMs,
            log: '',
          });
          end(false);
        }, longestWait(limits.timeMs));
      };
      this.#gone = (reason) => {
        made.push({
          ok: false,
          error: { kind: 'crashed', message: `Its process ${reason}.` },
          ms: 0,
          log: '',
        });
        end(false);
      };
      this.#receive = (received) => {
        if (received.type !== 'outcome' || received.batch !== batch) return;
        clearTimeout(watchdog);
        made.push(received.outcome);
        if (received.leaving) this.reason ??= 'left';
        if (received.leaving || made.length === tasks.length) end(!received.leaving);
        else watch();
      };
      watch();
      this.#channel.send(message);
    });
  }
}

let shared: Sandbox | undefined;
/** The shared sandbox of this process, started on first use. */
export const theSandbox = (): Sandbox => (shared ??= new Sandbox());
