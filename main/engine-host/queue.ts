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

/** What the engine reads for a run, from what the run was made from. */
export type Resolve = (run: Run, inputs: readonly RunInput[]) => Promise<Resources>;

/**
 * One run at a time, oldest first: starts it, commits its events, acknowledges them, and says what changed.
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

  /** The run that the engine works on. */
  get active(): string | null {
    return this.#active;
  }

  /** Calls `listener` after every committed change of any run; answers with how to stop that. */
  watch(listener: (change: RunChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells the followers of a run about it. */
  tell(run: Run, { metrics = {}, newSamples = 0 }: Partial<Omit<RunChange, 'run'>> = {}): void {
    for (const listener of this.#listeners) listener({ run, metrics, newSamples });
  }

  /** Calls `listener` with the id of every run that is removed; answers with how to stop that. */
  watchRemovals(listener: (id: string) => void): () => void {
    this.#removalListeners.add(listener);
    return () => this.#removalListeners.delete(listener);
  }

  /** Tells everybody that a run is gone. */
  tellRemoved(id: string): void {
    for (const listener of this.#removalListeners) listener(id);
  }

  /** Something has been queued, or the engine is free: starts the next run if there is one. */
  pump(): void {
    // a queue that could not be read once must not stand still for ever
    this.#pumping = this.#pumping
      .then(() => this.#startNext())
      .catch((error: unknown) => {
        console.error(`The next run could not be started: ${WhetstoneError.from(error).message}`);
      });
  }

  /** A queued run leaves the queue; a running one is asked to stop after its step. */
  async stop(id: string): Promise<void> {
    await this.#pumping; // a run that is being started can be stopped only when it has been
    const run = await this.#store.runs.stop(id, this.#active === id);
    this.tell(run);
    if (run.state === 'stopping') this.#host.stop(id);
  }

  /** Queues another attempt of a run that is over. */
  async resume(id: string): Promise<void> {
    this.tell(await this.#store.runs.enqueue(id, this.#active === id));
    this.pump();
  }

  /**
   * What the next attempt begins with: the newest one whose manifest is there; the manifest is written last,
   * so the rest is too.
   */
  async newestCheckpoint(id: string): Promise<Checkpoint | undefined> {
    const all = await this.#store.checkpoints.list(id);
    return all.find((c) => existsSync(join(this.#folder, c.path, 'manifest.json')));
  }

  /** Lets the active run go: what was committed stays, and the run can be resumed. */
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
      this.tell(await this.#store.runs.get(run.id));
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
    for (const { metrics, newSamples } of changes) this.tell(run, { metrics, newSamples });
    if (!isLive(run)) this.#release();
  }

  /**
   * A folder that cannot be deleted is no reason to end a run: no row names it any more, so it is counted,
   * and can be collected, as unused.
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

  /** The events cannot be kept (a full disk, say), so the run must not go on. */
  #commitFailed(id: string, error: unknown): void {
    const reason = WhetstoneError.from(error);
    this.#failure = reason;
    this.#host.kill(id, `was ended because its results could not be stored (${reason.message})`);
    // a run whose last word could not be stored has no process that would tell of its end
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
      if (isLive(now)) this.tell(await this.#store.runs.setState(id, state, error?.facts ?? null));
    } catch (failure) {
      // not even the state could be written: the next start finds the run left going and says so
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
