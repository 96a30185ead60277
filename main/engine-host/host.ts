import { WhetstoneError } from '../../engine/common/errors.ts';
import type { CallName, EngineCalls, EngineEvent, StartRun } from '../../engine/schema/messages.ts';
import type { EngineStatus } from '../../preload/contract/system.ts';
import type { SpawnEngine } from './channel.ts';
import { EngineProcess, type CallOptions } from './process.ts';

export interface HostTimes {
  /** Longest wait for an engine to load, in milliseconds. */
  readonly startMs: number;
  /** Longest wait for a run to stop by itself before its process is ended, in milliseconds. */
  readonly stopMs: number;
  /**
   * The same for a run that has taken no step since its checkpoint, or none at all: it has nothing to lose.
   */
  readonly graceMs?: number;
}
/** Whoever asks a run to stop sees it ended within two seconds where nothing is lost by that. */
const GRACE_MS = 1500;
export const defaultTimes: HostTimes = { startMs: 60_000, stopMs: 60_000, graceMs: GRACE_MS };

/** Who follows a run: its events, and the death of the engine under it. */
export interface RunFollower {
  event(event: EngineEvent): void;
  gone(error: WhetstoneError): void;
  /** It was asked to stop, and its process was ended since it had nothing to lose. */
  stopped(): void;
}

interface Running {
  readonly runId: string;
  readonly follower: RunFollower;
  started: boolean;
  /** The newest step that it has told of, and that of its newest checkpoint. */
  step: number;
  saved: number;
  /** It was asked to stop, and is ended when the time has come. */
  deadline?: NodeJS.Timeout;
  /** It was ended since it was asked to stop and had nothing to lose. */
  isDropped?: boolean;
}

/**
 * The engines: one process for runs, one for calls that are answered at once, so that a running job never
 * blocks a screen. Each is started when it is first needed, and again after it died.
 */
export class EngineHost {
  #spawn: SpawnEngine;
  #times: HostTimes;
  #runner: EngineProcess | null = null;
  #answerer: EngineProcess | null = null;
  #running: Running | null = null;
  #status: EngineStatus = { state: 'ready', runId: null, error: null };
  readonly #asked = new Set<EngineProcess>();
  #listeners = new Set<(status: EngineStatus) => void>();
  #closed = false;

  constructor(spawn: SpawnEngine, times: HostTimes = defaultTimes) {
    this.#spawn = spawn;
    this.#times = times;
  }

  get status(): EngineStatus {
    return this.#status;
  }

  /** Calls `listener` at every change; answers with how to stop that. */
  watch(listener: (status: EngineStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Pid of the process that runs, for whoever must name or end it. */
  get runnerPid(): number | undefined {
    return this.#runner?.pid;
  }

  /**
   * Starts a run; the follower hears everything until `finished`, `failed` or `gone`. Rejects when the engine
   * cannot start.
   */
  async start(run: StartRun, follower: RunFollower): Promise<void> {
    if (this.#running)
      throw new WhetstoneError('conflict', 'The engine is running another run.', {
        where: this.#running.runId,
      });
    this.#running = { runId: run.runId, follower, started: false, step: 0, saved: 0 };
    const running = this.#running;
    this.#tell({ state: 'starting', runId: run.runId, error: null });
    try {
      const engine = this.#startRunner();
      await engine.ready;
      engine.send({ type: 'start', run });
      running.started = true;
      this.#tell({ state: 'busy', runId: run.runId, error: null });
    } catch (error) {
      this.#running = null;
      throw error;
    }
  }

  /**
   * Asks the run to stop. One that has nothing to lose is ended soon, whatever it computes; any other has the
   * time to leave its step and save what it has learned, and is ended when it does not.
   */
  stop(runId: string): void {
    const running = this.#running;
    if (running?.runId !== runId) return;
    this.#runner?.send({ type: 'stop', runId });
    if (running.deadline) return;
    if (running.step > running.saved) return this.#endLater(running);
    running.deadline = setTimeout(() => {
      // a step may have been taken since
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

  /** Ends the process under a run at once. */
  kill(runId: string, reason: string): void {
    if (this.#running?.runId === runId) this.#runner?.kill(reason);
  }

  acknowledge(runId: string, attempt: number, sequence: number): void {
    this.#runner?.send({ type: 'acknowledge', runId, attempt, sequence });
  }

  /**
   * A question to the engine for interactive work. `signal` lets go of the answer: it is refused as
   * `cancelled`.
   */
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
   * A question to a process of its own, which ends with the answer: what may crash or hang must not take
   * anything else along. Then the error says how the process ended. `signal` ends the process at once,
   * whatever it is doing; the question is then refused as `cancelled`.
   */
  async ask<N extends CallName>(
    name: N,
    input: EngineCalls[N]['input'],
    limitMs: number,
    { signal, report }: CallOptions<N> = {},
  ): Promise<EngineCalls[N]['output']> {
    if (this.#closed) throw closed();
    if (signal?.aborted) throw cancelled();
    const engine = this.#startProcess(() => this.#asked.delete(engine));
    this.#asked.add(engine);
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

  close(): void {
    this.#closed = true;
    for (const engine of this.#asked) engine.kill('was closed');
    this.#runner?.kill('was closed');
    this.#answerer?.kill('was closed');
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

  #startProcess(gone: (error: WhetstoneError) => void): EngineProcess {
    const engine = new EngineProcess(this.#spawn, this.#times.startMs);
    engine.onGone = gone;
    return engine;
  }

  #event(event: EngineEvent): void {
    const running = this.#running;
    if (running?.runId !== event.runId) return;
    noted(running, event);
    // a large checkpoint takes long to write: what it tells of that is heard as life
    if (running.deadline && event.type === 'progress' && event.phase === 'saving') this.#endLater(running);
    if (event.type === 'finished' || event.type === 'failed') {
      this.#release();
      this.#tell({ state: 'ready', runId: null, error: null });
    }
    running.follower.event(event);
  }

  #runnerGone(error: WhetstoneError): void {
    const running = this.#release();
    this.#runner = null;
    // one that was ended for its run to stop has not failed: another one takes its place
    if (!this.#closed)
      this.#tell(
        running?.isDropped
          ? { state: 'starting', runId: null, error: null }
          : { state: 'failed', runId: running?.runId ?? null, error: error.facts },
      );
    // one that died before the run began is told of by the rejection of start()
    if (!running?.started) return;
    if (running.isDropped) running.follower.stopped();
    else running.follower.gone(error);
    this.#restart();
  }

  /**
   * An engine that died under a run is replaced at once, so that the status says whether the next run can
   * start.
   */
  #restart(): void {
    if (this.#closed) return;
    this.#startRunner().ready.then(
      () => {
        if (!this.#running) this.#tell({ state: 'ready', runId: null, error: null });
      },
      () => undefined, // #runnerGone has told why
    );
  }

  #release() {
    const running = this.#running;
    clearTimeout(running?.deadline);
    this.#running = null;
    return running;
  }

  #tell(status: EngineStatus): void {
    this.#status = status;
    for (const listener of this.#listeners) listener(status);
  }
}

/** What a run has, and what of it is saved. Whatever it resumed from is saved. */
const noted = (running: Running, event: EngineEvent): void => {
  if (event.type === 'started') running.saved = running.step = event.step;
  if (event.type === 'metrics') running.step = Math.max(running.step, event.step);
  if (event.type === 'checkpoint') running.saved = Math.max(running.saved, event.step);
};

const cancelled = () =>
  new WhetstoneError('cancelled', 'The question was taken back before it was answered.');
const closed = () => new WhetstoneError('cancelled', 'The engine was closed.');
