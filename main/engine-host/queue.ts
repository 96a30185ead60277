import { existsSync, mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { EngineEvent, Resources } from '../../engine/schema/messages.ts';
import type { Checkpoint, Run, RunChange } from '../../preload/contract/runs.ts';
import { isLive } from '../../preload/wire/run-states.ts';
import type { StoreClient } from '../store/client.ts';
import { asWorkspaceErrors } from '../store/database.ts';
import { folderMode } from '../store/private.ts';
import { readableSpec } from '../store/run-states.ts';
import type { RunInput } from '../store/runs.ts';
import { EventBatch } from './batch.ts';
import type { EngineHost } from './host.ts';

/** Resources of a run for the engine, from the run's inputs. */
export type Resolve = (run: Run, inputs: readonly RunInput[]) => Promise<Resources>;

/**
 * Runs one run at a time, oldest first: starts it, commits and acknowledges its events, and reports changes.
 */
export class RunQueue {
  #store: StoreClient;
  #host: EngineHost;
  #folder: string;
  #resolve: Resolve;
  #active: string | null = null;
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
  }

  /** Id of the running run. */
  get active(): string | null {
    return this.#active;
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

  /** Starts the next queued run if the engine is free. */
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
    const run = await this.#store.runs.stop(id, this.#active === id);
    this.publish(run);
    if (run.state === 'stopping') this.#host.stop(id);
  }

  /** Queues another attempt of an ended run. */
  async resume(id: string): Promise<void> {
    this.publish(await this.#store.runs.enqueue(id, this.#active === id));
    this.pump();
  }

  /** The checkpoint for the next attempt: the newest one with a manifest, which is written last. */
  async newestCheckpoint(id: string): Promise<Checkpoint | undefined> {
    const all = await this.#store.checkpoints.list(id);
    return all.find((c) => existsSync(join(this.#folder, c.path, 'manifest.json')));
  }

  /** Interrupts the active run: its committed events stay, and it can be resumed. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#pumping;
    const id = this.#active;
    if (id === null) return;
    const over = Promise.withResolvers<void>();
    this.#whenIdle = () => over.resolve();
    this.#host.kill(id, 'was closed with the workspace');
    await over.promise;
  }
  #whenIdle: () => void = () => undefined;

  async #startNext(): Promise<void> {
    if (this.#active !== null || this.#closing) return;
    const run = await this.#store.runs.nextQueued();
    if (!run) return;
    this.#active = run.id;
    try {
      const [inputs, resumeFrom] = [
        await this.#store.runs.inputs(run.id),
        await this.newestCheckpoint(run.id),
      ];
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

  async #commit(id: string, events: EngineEvent[]): Promise<void> {
    const changes = await this.#store.events.commit(events);
    for (const c of changes) this.#host.acknowledge(c.runId, c.attempt, c.sequence);
    const run = await this.#store.runs.get(id);
    if (changes.some((c) => c.checkpoints > 0)) await this.#prune(run);
    for (const { newSamples } of changes) this.publish(run, newSamples);
    if (!isLive(run)) this.#release();
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
    this.#failure = reason;
    this.#host.kill(id, `was ended because its results could not be stored (${reason.message})`);
    // a run whose last event could not be stored has no process left to report its end
    void this.#interrupted(id, reason);
  }
  #failure: WhetstoneError | null = null;

  async #interrupted(id: string, error: WhetstoneError): Promise<void> {
    await this.#end(id, 'interrupted', this.#failure ?? error);
  }

  async #end(
    id: string,
    state: 'failed' | 'interrupted' | 'stopped',
    error: WhetstoneError | null,
  ): Promise<void> {
    if (this.#active !== id || this.#ending) return;
    this.#ending = true;
    try {
      const now = await this.#store.runs.get(id);
      if (isLive(now)) this.publish(await this.#store.runs.setState(id, state, error?.facts ?? null));
    } catch (failure) {
      // the state could not be stored either: the next start finds the run marked as running and reports it
      console.error(`The end of run ${id} could not be stored: ${WhetstoneError.from(failure).message}`);
    }
    this.#release();
  }
  #ending = false;

  #release(): void {
    this.#active = null;
    this.#ending = false;
    this.#failure = null;
    this.#whenIdle();
    this.pump();
  }
}
