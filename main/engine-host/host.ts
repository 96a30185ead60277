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

/** A call in a process of its own. */
export type EngineCall = <N extends CallName>(
  name: N,
  input: EngineCalls[N]['input'],
  report?: CallOptions<N>['report'],
) => Promise<EngineCalls[N]['output']>;

/**
 * The engine processes: one for runs, one for direct calls, so that a running job never blocks a screen.
 * Each starts on first use, and restarts after it died.
 */
export class EngineHost {
  #spawn: SpawnEngine;
  #times: HostTimes;
  #runner: EngineProcess | null = null;
  #answerer: EngineProcess | null = null;
  /** The process of background calls. */
  #helper: EngineProcess | null = null;
  #running: Running | null = null;
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

  /** Pid of the process for runs. */
  get runnerPid(): number | undefined {
    return this.#runner?.pid;
  }

  /**
   * Starts a run; the follower receives everything until `finished`, `failed` or `gone`. Rejects if the
   * engine cannot start.
   */
  async start(run: StartRun, follower: RunFollower): Promise<void> {
    if (this.#running)
      throw new WhetstoneError('conflict', 'The engine is running another run.', {
        where: this.#running.runId,
      });
    this.#running = { runId: run.runId, follower, started: false, step: 0, saved: 0 };
    const running = this.#running;
    this.#publish({ state: 'starting', runId: run.runId, error: null });
    try {
      const engine = this.#startRunner();
      await engine.ready;
      engine.send({ type: 'start', run });
      running.started = true;
      this.#publish({ state: 'busy', runId: run.runId, error: null });
    } catch (error) {
      this.#running = null;
      throw error;
    }
  }

  /**
   * Stops the run. One with nothing to lose is killed soon, whatever it computes; any other gets time to
   * finish its step and save, and is killed if it does not.
   */
  stop(runId: string): void {
    const running = this.#running;
    if (running?.runId !== runId) return;
    this.#runner?.send({ type: 'stop', runId });
    if (running.deadline) return;
    if (running.step > running.saved) return this.#endLater(running);
    running.deadline = setTimeout(() => {
      // it may have taken a step since
      if (running.step > running.saved) return this.#endLater(running);
      running.isDropped = true;
      this.#runner?.kill('was ended when its run was stopped');
    }, this.#times.graceMs ?? GRACE_MS);
  }

  #endLater(running: Running): void {
    const { stopMs } = this.#times;
    clearTimeout(running.deadline);
    running.deadline = setTimeout(
      () => this.#runner?.kill(`did not stop within ${stopMs / 1000} s and was ended`),
      stopMs,
    );
  }

  /** Kills the process of a run at once. */
  kill(runId: string, reason: string): void {
    if (this.#running?.runId === runId) this.#runner?.kill(reason);
  }

  acknowledge(runId: string, attempt: number, sequence: number): void {
    this.#runner?.send({ type: 'acknowledge', runId, attempt, sequence });
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
    this.#runner?.kill('was closed');
    this.#answerer?.kill('was closed');
    this.#helper?.kill('was closed');
    this.#listeners.clear();
  }

  #startRunner(): EngineProcess {
    if (this.#closed) throw closed();
    if (this.#runner) return this.#runner;
    const engine = this.#startProcess((error) => this.#runnerGone(error));
    engine.onEvent = (event) => this.#event(event);
    this.#runner = engine;
    return engine;
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

  #event(event: EngineEvent): void {
    const running = this.#running;
    if (running?.runId !== event.runId) return;
    noted(running, event);
    // a large checkpoint takes long to write: its progress events extend the deadline
    if (running.deadline && event.type === 'progress' && event.phase === 'saving') this.#endLater(running);
    if (event.type === 'finished' || event.type === 'failed') {
      this.#release();
      this.#publish({ state: 'ready', runId: null, error: null });
    }
    running.follower.event(event);
  }

  #runnerGone(error: WhetstoneError): void {
    const running = this.#release();
    this.#runner = null;
    // a process killed to stop its run has not failed: it is restarted
    if (!this.#closed)
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
    if (this.#closed) return;
    this.#startRunner().ready.then(
      () => {
        if (!this.#running) this.#publish({ state: 'ready', runId: null, error: null });
      },
      () => undefined, // #runnerGone has reported the reason
    );
  }

  #release() {
    const running = this.#running;
    clearTimeout(running?.deadline);
    this.#running = null;
    return running;
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
