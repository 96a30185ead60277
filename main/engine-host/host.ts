import { constants, setPriority } from 'node:os';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { CallName, EngineCalls, EngineEvent, StartRun } from '../../engine/schema/messages.ts';
import type { EngineStatus } from '../../preload/contract/system.ts';
import type { SpawnEngine } from './channel.ts';
import { cancelled, EngineProcess, type CallOptions } from './process.ts';

export interface HostTimes {
  /** Time limit for an engine to load, in milliseconds. */
  readonly startMs: number;
  /** Time limit for a run to stop by itself before its process is killed, in milliseconds. */
  readonly stopMs: number;
  /** The same for a run without steps since its checkpoint: it has nothing to lose. */
  readonly graceMs?: number;
}
/** A stopped run without anything to lose ends within two seconds. */
const GRACE_MS = 1500;
export const defaultTimes: HostTimes = { startMs: 60_000, stopMs: 60_000, graceMs: GRACE_MS };

/** Receives a run's events, and the death of its engine. */
export interface RunFollower {
  event(event: EngineEvent): void;
  gone(error: WhetstoneError): void;
  /** The run was stopped by killing its process, since it had nothing to lose. */
  stopped(): void;
}

interface Running {
  readonly runId: string;
  readonly follower: RunFollower;
  started: boolean;
  /** The newest step reported, and that of the newest checkpoint. */
  step: number;
  saved: number;
  /** Set after a stop request: the process is killed when it fires. */
  deadline?: NodeJS.Timeout;
  /** True if it was killed on a stop request, with nothing to lose. */
  isDropped?: boolean;
}

/** A process for runs, and the run that it is working on. */
interface Runner {
  readonly engine: EngineProcess;
  running: Running | null;
  /** True if it ends because another idle one is enough. */
  isSurplus?: boolean;
}

/** A call in a process of its own. */
export type EngineCall = <N extends CallName>(
  name: N,
  input: EngineCalls[N]['input'],
  report?: CallOptions<N>['report'],
) => Promise<EngineCalls[N]['output']>;

/**
 * The engine processes: one for each run at a time, one for direct calls, so that a running job never blocks a
 * screen. Each starts on first use, and restarts after it died.
 */
export class EngineHost {
  #spawn: SpawnEngine;
  #times: HostTimes;
  readonly #runners = new Set<Runner>();
  #answerer: EngineProcess | null = null;
  /** The process of background calls. */
  #helper: EngineProcess | null = null;
  #status: EngineStatus = { state: 'ready', runId: null, error: null };
  readonly #callProcesses = new Set<EngineProcess>();
  #listeners = new Set<(status: EngineStatus) => void>();
  #closed = false;

  constructor(spawn: SpawnEngine, times: HostTimes = defaultTimes) {
    this.#spawn = spawn;
    this.#times = times;
  }

  get status(): EngineStatus {
    return this.#status;
  }

  /** Calls `listener` at every change; returns a function that unsubscribes. */
  watch(listener: (status: EngineStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Pid of the process of a run, or of the first one for runs. */
  runnerOf(runId?: string): number | undefined {
    const [first] = this.#runners;
    const runner = runId === undefined ? first : this.#workingOn(runId);
    return runner?.engine.pid;
  }

  #workingOn(runId: string): Runner | undefined {
    return [...this.#runners].find(({ running }) => running?.runId === runId);
  }

  /**
   * Starts a run; the follower receives everything until `finished`, `failed` or `gone`. Rejects if the
   * engine cannot start, and with `conflict` if it is running this run.
   */
  async start(run: StartRun, follower: RunFollower): Promise<void> {
    if (this.#workingOn(run.runId))
      throw new WhetstoneError('conflict', 'The engine is running this run already.', { where: run.runId });
    const runner = [...this.#runners].find(({ running }) => !running) ?? this.#startRunner();
    const running: Running = { runId: run.runId, follower, started: false, step: 0, saved: 0 };
    runner.running = running;
    this.#publish({ state: 'starting', runId: run.runId, error: null });
    try {
      await runner.engine.ready;
      runner.engine.send({ type: 'start', run });
      running.started = true;
      this.#publish({ state: 'busy', runId: run.runId, error: null });
    } catch (error) {
      runner.running = null;
      throw error;
    }
  }

  /**
   * Stops the run. One with nothing to lose is killed soon, whatever it computes; any other gets time to
   * finish its step and save, and is killed if it does not.
   */
  stop(runId: string): void {
    const runner = this.#workingOn(runId);
    const running = runner?.running;
    if (!running) return;
    runner.engine.send({ type: 'stop', runId });
    if (running.deadline) return;
    if (running.step > running.saved) return this.#endLater(runner, running);
    running.deadline = setTimeout(() => {
      // it may have taken a step since
      if (running.step > running.saved) return this.#endLater(runner, running);
      running.isDropped = true;
      runner.engine.kill('was ended when its run was stopped');
    }, this.#times.graceMs ?? GRACE_MS);
  }

  #endLater({ engine }: Runner, running: Running): void {
    const { stopMs } = this.#times;
    clearTimeout(running.deadline);
    running.deadline = setTimeout(
      () => engine.kill(`did not stop within ${stopMs / 1000} s and was ended`),
      stopMs,
    );
  }

  /** Kills the process of a run at once. */
  kill(runId: string, reason: string): void {
    this.#workingOn(runId)?.engine.kill(reason);
  }

  acknowledge(runId: string, attempt: number, sequence: number): void {
    // the last event of a run is acknowledged after its end, when no runner works on it any more
    for (const { engine } of this.#runners) engine.send({ type: 'acknowledge', runId, attempt, sequence });
  }

  /** A call to the engine for interactive work. `signal` abandons the call: it rejects with `cancelled`. */
  async call<N extends CallName>(
    name: N,
    input: EngineCalls[N]['input'],
    signal?: AbortSignal,
    report?: CallOptions<N>['report'],
  ): Promise<EngineCalls[N]['output']> {
    if (this.#closed) throw closed();
    this.#answerer ??= this.#startProcess(() => {
      this.#answerer = null;
    });
    return await this.#answerer.call(name, input, { ...(signal && { signal }), ...(report && { report }) });
  }

  /**
   * A call for work that nobody waits for, in another process of low priority: the screen, interactive calls
   * and a run go before it. `signal` as of `call`.
   */
  async background<N extends CallName>(
    name: N,
    input: EngineCalls[N]['input'],
    signal?: AbortSignal,
    report?: CallOptions<N>['report'],
  ): Promise<EngineCalls[N]['output']> {
    if (this.#closed) throw closed();
    this.#helper ??= this.#startHelper();
    return await this.#helper.call(name, input, { ...(signal && { signal }), ...(report && { report }) });
  }

  /**
   * A call in a process of its own, which ends with the answer: a crash or hang affects nothing else, and
   * the error says how the process ended. `signal` kills the process at once; the call then rejects with
   * `cancelled`.
   */
  async ask<N extends CallName>(
    name: N,
    input: EngineCalls[N]['input'],
    limitMs: number,
    { signal, report }: CallOptions<N> = {},
  ): Promise<EngineCalls[N]['output']> {
    if (this.#closed) throw closed();
    if (signal?.aborted) throw cancelled();
    const engine = this.#startProcess(() => this.#callProcesses.delete(engine));
    this.#callProcesses.add(engine);
    const late = setTimeout(() => engine.kill(`did not answer within ${limitMs / 1000} s`), limitMs);
    const cancel = (): void => engine.kill('was cancelled');
    signal?.addEventListener('abort', cancel);
    try {
      return await engine.call(name, input, { ...(report && { report }) });
    } catch (error) {
      throw signal?.aborted ? cancelled() : error;
    } finally {
      signal?.removeEventListener('abort', cancel);
      clearTimeout(late);
      engine.kill('has answered');
    }
  }

  /**
   * Several calls in a process of their own, which ends with the work: what it has opened stays open between
   * them. `signal` kills the process at once; its call then rejects with `cancelled`.
   */
  async dedicated<T>(signal: AbortSignal, work: (call: EngineCall) => Promise<T>): Promise<T> {
    if (this.#closed) throw closed();
    if (signal.aborted) throw cancelled();
    const engine = this.#startProcess(() => this.#callProcesses.delete(engine));
    this.#callProcesses.add(engine);
    const cancel = (): void => engine.kill('was cancelled');
    signal.addEventListener('abort', cancel);
    try {
      return await work((name, input, report) => engine.call(name, input, { ...(report && { report }) }));
    } catch (error) {
      throw signal.aborted ? cancelled() : error;
    } finally {
      signal.removeEventListener('abort', cancel);
      engine.kill('has answered');
    }
  }

  close(): void {
    this.#closed = true;
    for (const engine of this.#callProcesses) engine.kill('was closed');
    for (const { engine } of this.#runners) engine.kill('was closed');
    this.#answerer?.kill('was closed');
    this.#helper?.kill('was closed');
    this.#listeners.clear();
  }

  #startRunner(): Runner {
    if (this.#closed) throw closed();
    const runner: Runner = {
      engine: this.#startProcess((error) => this.#runnerGone(runner, error)),
      running: null,
    };
    runner.engine.onEvent = (event) => this.#event(runner, event);
    this.#runners.add(runner);
    return runner;
  }

  #startHelper(): EngineProcess {
    const helper = this.#startProcess(() => {
      this.#helper = null;
    });
    try {
      if (helper.pid !== undefined) setPriority(helper.pid, constants.priority.PRIORITY_LOW);
    } catch {
      // it has ended already, which its call reports, or the system does not allow it
    }
    return helper;
  }

  #startProcess(gone: (error: WhetstoneError) => void): EngineProcess {
    const engine = new EngineProcess(this.#spawn, this.#times.startMs);
    engine.onGone = gone;
    return engine;
  }

  #event(runner: Runner, event: EngineEvent): void {
    const { running } = runner;
    if (running?.runId !== event.runId) return;
    noted(running, event);
    // a large checkpoint takes long to write: its progress events extend the deadline
    if (running.deadline && event.type === 'progress' && event.phase === 'saving')
      this.#endLater(runner, running);
    if (event.type === 'finished' || event.type === 'failed') {
      this.#release(runner);
      this.#publish(this.#idleOrBusy());
    }
    running.follower.event(event);
  }

  #runnerGone(runner: Runner, error: WhetstoneError): void {
    const running = this.#release(runner);
    this.#runners.delete(runner);
    const others = this.#idleOrBusy();
    // a process killed to stop its run has not failed: it is restarted
    if (!this.#closed && !runner.isSurplus && others.state === 'ready')
      this.#publish(
        running?.isDropped
          ? { state: 'starting', runId: null, error: null }
          : { state: 'failed', runId: running?.runId ?? null, error: error.facts },
      );
    // for a process that died before the run began, start() rejects
    if (!running?.started) return;
    if (running.isDropped) running.follower.stopped();
    else running.follower.gone(error);
    this.#restart();
  }

  /**
   * Restarts an engine that died during a run at once, so that the status shows whether the next run can
   * start.
   */
  #restart(): void {
    if (this.#closed || this.#runners.size > 0) return;
    this.#startRunner().engine.ready.then(
      () => this.#publish(this.#idleOrBusy()),
      () => undefined, // #runnerGone has reported the reason
    );
  }

  #idleOrBusy(): EngineStatus {
    const busy = [...this.#runners].find(({ running }) => running?.started);
    return { state: busy ? 'busy' : 'ready', runId: busy?.running?.runId ?? null, error: null };
  }

  #release(runner: Runner): Running | null {
    const { running } = runner;
    clearTimeout(running?.deadline);
    runner.running = null;
    return running;
  }

  /** Ends idle processes but one, since each holds memory; call it when no run is about to start. */
  endSurplus(): void {
    for (const runner of [...this.#runners].filter(({ running }) => !running).slice(1)) {
      runner.isSurplus = true;
      runner.engine.kill('is not needed any more');
    }
  }

  #publish(status: EngineStatus): void {
    this.#status = status;
    for (const listener of this.#listeners) listener(status);
  }
}

/** Updates a run's newest and saved steps. A checkpoint it resumed from counts as saved. */
const noted = (running: Running, event: EngineEvent): void => {
  if (event.type === 'started') running.saved = running.step = event.step;
  if (event.type === 'metrics') running.step = Math.max(running.step, event.step);
  if (event.type === 'checkpoint') running.saved = Math.max(running.saved, event.step);
};

const closed = () => new WhetstoneError('cancelled', 'The engine was closed.');
