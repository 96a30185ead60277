import { existsSync, mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { EngineEvent, Resources } from '../../engine/schema/messages.ts';
import type { QueueState, QueueWait } from '../../preload/contract/queue.ts';
import type { Checkpoint, Run, RunChange } from '../../preload/contract/runs.ts';
import { isLive } from '../../preload/wire/run-states.ts';
import type { StoreClient } from '../store/client.ts';
import { asWorkspaceErrors } from '../store/database.ts';
import { folderMode } from '../store/private.ts';
import { readableSpec } from '../store/run-states.ts';
import type { RunInput } from '../store/runs.ts';
import { EventBatch } from './batch.ts';
import type { EngineHost } from './host.ts';
import { deviceOf, MemoryGate } from './memory-gate.ts';

/** Resources of a run for the engine, from the run's inputs. */
export type Resolve = (run: Run, inputs: readonly RunInput[]) => Promise<Resources>;

/** A run that was handed to the engine. */
interface Active {
  readonly run: Run;
  hasStepped: boolean;
  isEnding: boolean;
  /** Why its events could not be stored. */
  failure: WhetstoneError | null;
}

/** A run that waits for memory is considered again after this time, in milliseconds. */
const againMs = 10_000;

/**
 * Runs the queued runs in their order, on each device of its own: one at a time on an accelerator, one or several
 * on the processor where memory allows. Starts them, commits and acknowledges their events, and reports changes.
 * Runs of a device do not overtake one another: where the next one has to wait for memory, those behind it wait too.
 */
export class RunQueue {
  #store: StoreClient;
  #host: EngineHost;
  #folder: string;
  #resolve: Resolve;
  readonly #active = new Map<string, Active>();
  /** Runs that start even while the queue is paused. */
  readonly #asked = new Set<string>();
  readonly #gate: MemoryGate;
  #waits: QueueWait | null = null;
  #later: NodeJS.Timeout | undefined;
  readonly #stateListeners = new Set<() => void>();
  #pumping: Promise<void> = Promise.resolve();
  #listeners = new Set<(change: RunChange) => void>();
  #removalListeners = new Set<(id: string) => void>();
  #closing = false;

  constructor({
    store,
    host,
    folder,
    resolve,
  }: {
    store: StoreClient;
    host: EngineHost;
    folder: string;
    resolve: Resolve;
  }) {
    this.#store = store;
    this.#host = host;
    this.#folder = folder;
    this.#resolve = resolve;
    this.#gate = new MemoryGate(host, async (run) => resolve(run, await store.runs.inputs(run.id)));
  }

  /** Id of a running run, the first one that started. */
  get active(): string | null {
    const [first] = this.#active.keys();
    return first ?? null;
  }

  async state(): Promise<QueueState> {
    return { ...(await this.#store.runs.queueState()), waits: this.#waits };
  }

  /** Calls `listener` after every change of the state; returns a function that unsubscribes. */
  watchState(listener: () => void): () => void {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  }

  /** Starts no further run; those that run end normally. */
  pause(): Promise<void> {
    return this.#change(() => this.#store.runs.pauseQueue('asked'));
  }

  goOn(): Promise<void> {
    return this.#change(() => this.#store.runs.pauseQueue(null));
  }

  setAtOnce(atOnce: number): Promise<void> {
    return this.#change(() => this.#store.runs.setAtOnce(atOnce));
  }

  /** Moves a queued run to a place of the queue, 1 first. */
  async move(id: string, to: number): Promise<void> {
    for (const run of await this.#store.runs.moveQueued(id, to)) this.publish(run);
    this.pump();
  }

  /** Lets a run start in its turn even while the queue is paused. */
  ask(id: string): void {
    this.#asked.add(id);
    this.pump();
  }

  /** True for a queued run that starts in its turn even while the queue is paused. */
  isAsked(id: string): boolean {
    return this.#asked.has(id);
  }

  async #change(change: () => Promise<void>): Promise<void> {
    await change();
    for (const listener of this.#stateListeners) listener();
    this.pump();
  }

  /** Calls `listener` after every committed change of any run; returns a function that unsubscribes. */
  watch(listener: (change: RunChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reports a change of a run to the listeners. */
  publish(run: Run, newSamples = 0): void {
    for (const listener of this.#listeners) listener({ run, newSamples });
  }

  /** Calls `listener` with the id of every removed run; returns a function that unsubscribes. */
  watchRemovals(listener: (id: string) => void): () => void {
    this.#removalListeners.add(listener);
    return () => this.#removalListeners.delete(listener);
  }

  /** Reports the removal of a run. */
  publishRemoved(id: string): void {
    for (const listener of this.#removalListeners) listener(id);
  }

  /** Starts the next queued run if the engine has room for it. */
  pump(): void {
    // a failed read must not block the queue for ever
    this.#pumping = this.#pumping
      .then(() => this.#startNext())
      .catch((error: unknown) => {
        console.error(`The next run could not be started: ${WhetstoneError.from(error).message}`);
      });
  }

  /** Removes a queued run from the queue; stops a running one after its step. */
  async stop(id: string): Promise<void> {
    await this.#pumping; // a run that is being started can be stopped only afterwards
    const run = await this.#store.runs.stop(id, this.#active.has(id));
    this.publish(run);
    if (run.state === 'stopping') this.#host.stop(id);
    else this.pump(); // another one may be the next
  }

  /** Queues another attempt of an ended run. */
  async resume(id: string): Promise<void> {
    this.publish(await this.#store.runs.enqueue(id, this.#active.has(id)));
    this.pump();
  }

  /** The checkpoint for the next attempt: the newest one with a manifest, which is written last. */
  async newestCheckpoint(id: string): Promise<Checkpoint | undefined> {
    const all = await this.#store.checkpoints.list(id);
    return all.find((c) => existsSync(join(this.#folder, c.path, 'manifest.json')));
  }

  /** Interrupts the active runs: their committed events stay, and they can be resumed. */
  async close(): Promise<void> {
    this.#closing = true;
    clearTimeout(this.#later);
    await this.#pumping;
    if (this.#active.size === 0) return;
    const over = Promise.withResolvers<void>();
    this.#whenIdle = () => over.resolve();
    for (const id of this.#active.keys()) this.#host.kill(id, 'was closed with the workspace');
    await over.promise;
  }
  #whenIdle: () => void = () => undefined;

  async #startNext(): Promise<void> {
    if (this.#closing) return;
    const { runs } = this.#store;
    const { paused, atOnce } = await runs.queueState();
    const next = await runs.nextQueued(paused ? [...this.#asked] : null);
    const active = [...this.#active.values()];
    const hasRoom = (run: Run): boolean => {
      const device = deviceOf(run);
      const own = active.filter((each) => deviceOf(each.run) === device);
      return device === null || own.length < (device === 'cpu' ? atOnce : 1);
    };
    const heads = next.filter(hasRoom).map((run) => ({
      run,
      wait: this.#gate.waitOf(run, active, () => this.pump()),
    }));
    // only a run on the processor waits for memory, so there is one wait at most
    this.#setWait(heads.find(({ wait }) => wait !== null)?.wait ?? null);
    const ready = heads.find(({ wait }) => wait === null);
    if (ready) {
      await this.#start(ready.run);
      this.pump();
    } else if (next.length === 0) this.#host.endSurplus();
  }

  #setWait(wait: QueueWait | null): void {
    clearTimeout(this.#later);
    if (wait?.why === 'memory') this.#later = setTimeout(() => this.pump(), againMs).unref();
    if (JSON.stringify(wait) === JSON.stringify(this.#waits)) return;
    this.#waits = wait;
    for (const listener of this.#stateListeners) listener();
  }

  async #start(run: Run): Promise<void> {
    this.#active.set(run.id, { run, hasStepped: false, isEnding: false, failure: null });
    this.#asked.delete(run.id);
    this.#gate.forget(run.id);
    try {
      const [inputs, resumeFrom] = [await this.#store.runs.inputs(run.id), await this.#startOf(run)];
      const spec = readableSpec(run);
      const resources = await this.#resolve(run, inputs);
      const attempt = await this.#store.runs.beginAttempt(run.id, resumeFrom?.id ?? null);
      const outDir = join(this.#folder, 'artifacts', 'runs', run.id);
      asWorkspaceErrors(outDir, () => mkdirSync(outDir, { recursive: true, mode: folderMode }));
      this.publish(await this.#store.runs.get(run.id));
      const batch = new EventBatch(
        (events) => this.#commit(run.id, events),
        (error) => this.#commitFailed(run.id, error),
      );
      await this.#host.start(
        {
          runId: run.id,
          attempt,
          spec,
          resources,
          outDir,
          ...(resumeFrom && { resumeFrom: join(this.#folder, resumeFrom.path) }),
        },
        {
          event: (event) => batch.add(event),
          gone: (error) => void batch.flush().then(() => this.#interrupted(run.id, error)),
          stopped: () => void batch.flush().then(() => this.#end(run.id, 'stopped', null)),
        },
      );
    } catch (error) {
      await this.#end(run.id, 'failed', WhetstoneError.from(error));
    }
  }

  /** The checkpoint that the next attempt continues: the run's own newest one, or that of another run. */
  async #startOf({ id, fork }: Run): Promise<Checkpoint | undefined> {
    const own = await this.newestCheckpoint(id);
    return (
      own ?? (fork?.carries === 'state' ? await this.#store.checkpoints.get(fork.checkpointId) : undefined)
    );
  }

  async #commit(id: string, events: EngineEvent[]): Promise<void> {
    const changes = await this.#store.events.commit(events);
    for (const c of changes) this.#host.acknowledge(c.runId, c.attempt, c.sequence);
    const run = await this.#store.runs.get(id);
    const active = this.#active.get(id);
    if (active && !active.hasStepped && events.some(({ type }) => type === 'metrics')) {
      active.hasStepped = true;
      this.pump();
    }
    if (changes.some((c) => c.checkpoints > 0)) await this.#prune(run);
    for (const { newSamples } of changes) this.publish(run, newSamples);
    if (!isLive(run)) this.#release(id);
  }

  /**
   * Deletes old checkpoints. A failure does not end the run: no row names the folder any more, so it counts
   * as unused and can be collected.
   */
  async #prune(run: Run): Promise<void> {
    for (const path of await this.#store.checkpoints.prune(run.id, readableSpec(run).checkpoints.keep)) {
      await rm(join(this.#folder, path), { recursive: true, force: true }).catch((error: unknown) => {
        console.error(
          `An old checkpoint of run ${run.id} could not be deleted: ${WhetstoneError.from(error).message}`,
        );
      });
    }
  }

  /** Ends a run whose events cannot be stored (a full disk, say). */
  #commitFailed(id: string, error: unknown): void {
    const reason = WhetstoneError.from(error);
    const active = this.#active.get(id);
    if (active) active.failure = reason;
    this.#host.kill(id, `was ended because its results could not be stored (${reason.message})`);
    // a run whose last event could not be stored has no process left to report its end
    void this.#interrupted(id, reason);
  }

  async #interrupted(id: string, error: WhetstoneError): Promise<void> {
    await this.#end(id, 'interrupted', this.#active.get(id)?.failure ?? error);
  }

  async #end(
    id: string,
    state: 'failed' | 'interrupted' | 'stopped',
    error: WhetstoneError | null,
  ): Promise<void> {
    const active = this.#active.get(id);
    if (!active || active.isEnding) return;
    active.isEnding = true;
    try {
      const now = await this.#store.runs.get(id);
      if (isLive(now)) this.publish(await this.#store.runs.setState(id, state, error?.facts ?? null));
    } catch (failure) {
      // the state could not be stored either: the next start finds the run marked as running and reports it
      console.error(`The end of run ${id} could not be stored: ${WhetstoneError.from(failure).message}`);
    }
    this.#release(id);
  }

  #release(id: string): void {
    this.#active.delete(id);
    if (this.#active.size === 0) this.#whenIdle();
    this.pump();
  }
}
