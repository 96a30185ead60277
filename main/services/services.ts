import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Workspace } from '../../preload/contract/workspaces.ts';
import { Config } from './config.ts';
import { DemoWork } from './demo-work.ts';
import { Devices } from './devices.ts';
import type { SpawnEngine } from '../engine-host/channel.ts';
import { defaultTimes, EngineHost, type HostTimes } from '../engine-host/host.ts';
import { RunQueue } from '../engine-host/queue.ts';
import { Judges } from '../judging/judges.ts';
import { Experiments } from './experiments/index.ts';
import { RunDoctor } from './run-doctor.ts';
import { ShippedSamples } from './shipped-samples.ts';
import { placeOf } from './opened-model.ts';
import { resourcesOf } from './resources.ts';
import type { StoreClient } from '../store/client.ts';
import { createFolder, openFolder, type OpenFolder } from '../store/folder.ts';
import type { SpawnSql } from '../store/sql/protocol.ts';
import { forkSql, SqlRunner } from '../store/sql/runner.ts';

/** Functions of the shell around the services; window and browser differ only here. */
export interface Desktop {
  readonly transport: 'ipc' | 'loopback';
  readonly version: string;
  readonly electron: string | null;
  /** Chooses a file or folder in the desktop's own dialog; null without one, or if cancelled. */
  choosePath(choice: { kind: 'file' | 'folder' | 'save'; title: string }): Promise<string | null>;
}

export interface ServicesOptions {
  readonly spawnEngine: SpawnEngine;
  /** Starts a process for an SQL statement; by default a forked one. */
  readonly spawnSql?: SpawnSql;
  readonly desktop: Desktop;
  readonly config?: Config;
  /** Finished samples that ship; none by default. */
  readonly samples?: ShippedSamples;
  readonly times?: HostTimes;
}

/** Work of another room in the open workspace. */
export interface OwnWork {
  close(): Promise<void>;
}

interface OpenWorkspace extends OpenFolder {
  /** By what made it. */
  readonly work: Map<(services: Services) => OwnWork, OwnWork>;
  readonly queue: RunQueue;
  readonly demo: DemoWork;
  readonly judges: Judges;
  readonly runDoctor: RunDoctor;
  readonly experiments: Experiments;
  readonly sql: SqlRunner;
}

/** The services for handlers. One workspace is open at a time. */
export class Services {
  readonly desktop: Desktop;
  readonly config: Config;
  readonly engine: EngineHost;
  readonly devices: Devices;
  readonly samples: ShippedSamples;
  readonly #spawnSql: SpawnSql;
  #open: OpenWorkspace | null = null;
  /** Makers of work that each workspace has from the moment it is opened. */
  readonly #always = new Set<(services: Services) => OwnWork>();
  /**
   * Serializes opening, creating and closing: two at once would each find nothing open, and one store would
   * be lost.
   */
  #turn: Promise<unknown> = Promise.resolve();

  constructor({
    spawnEngine,
    spawnSql = forkSql,
    desktop,
    config = new Config(),
    samples = new ShippedSamples(null),
    times = defaultTimes,
  }: ServicesOptions) {
    this.#spawnSql = spawnSql;
    this.desktop = desktop;
    this.config = config;
    this.samples = samples;
    this.engine = new EngineHost(spawnEngine, times);
    this.devices = new Devices(this.engine, config);
  }

  get isOpen(): boolean {
    return this.#open !== null;
  }

  /**
   * The open workspace's queries. Throws `conflict` when none is open; so do `queue`, `demo`,
   * `judges`, `runDoctor`, `experiments`, `sql`, `folder`.
   */
  get store(): StoreClient {
    return this.#opened.store;
  }

  get queue(): RunQueue {
    return this.#opened.queue;
  }

  get demo(): DemoWork {
    return this.#opened.demo;
  }

  get judges(): Judges {
    return this.#opened.judges;
  }

  get runDoctor(): RunDoctor {
    return this.#opened.runDoctor;
  }

  get experiments(): Experiments {
    return this.#opened.experiments;
  }

  get sql(): SqlRunner {
    return this.#opened.sql;
  }

  /** The work that `make` makes, once for the open workspace, and closed before it. */
  work<T extends OwnWork>(make: (services: Services) => T): T {
    const { work } = this.#opened;
    const made = (work.get(make) as T | undefined) ?? make(this);
    work.set(make, made);
    return made;
  }

  /** Makes this work in every workspace as soon as it is open, and in the one that is open now. */
  always(make: (services: Services) => OwnWork): void {
    this.#always.add(make);
    if (this.#open) this.work(make);
  }

  /** Absolute path of the open workspace. */
  get folder(): string {
    return this.#opened.folder;
  }

  get #opened(): OpenWorkspace {
    if (!this.#open)
      throw new WhetstoneError('conflict', 'No workspace is open.', { hint: 'Open or create one first.' });
    return this.#open;
  }

  /** The open workspace, or null. */
  async current(): Promise<Workspace | null> {
    return this.#open ? await this.#open.store.workspace.facts() : null;
  }

  openWorkspace(path: string): Promise<Workspace> {
    return this.#inTurn(() => this.#openAt(path));
  }

  createWorkspace(path: string, name: string): Promise<Workspace> {
    return this.#inTurn(() => this.#createAt(path, name));
  }

  /** Opens the workspace, or makes it if absent. */
  openOrCreateWorkspace(path: string): Promise<Workspace> {
    return this.#inTurn(() =>
      existsSync(resolve(path, 'workspace.db')) ? this.#openAt(path) : this.#createAt(path, ''),
    );
  }

  /** Interrupts running work (a run can be resumed), closes the file, releases the lock. */
  async close(): Promise<void> {
    await this.#inTurn(() => this.#leave());
    this.engine.close();
  }

  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(action);
    // the caller gets a failure; the next one starts anyway
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #openAt(path: string): Promise<Workspace> {
    if (this.#open?.folder === resolve(path)) return await this.#open.store.workspace.facts();
    this.#mayLeave();
    return await this.#enter(await openFolder(path));
  }

  async #createAt(path: string, name: string): Promise<Workspace> {
    this.#mayLeave();
    return await this.#enter(await createFolder(path, name));
  }

  #mayLeave(): void {
    const active = this.#open?.queue.active;
    if (active)
      throw new WhetstoneError('conflict', 'A run is in progress in the open workspace.', {
        where: active,
        hint: 'Stop it, or wait for it, before you open another workspace.',
      });
    if (this.#open?.demo.active)
      throw new WhetstoneError('conflict', 'The demo is running in the open workspace.', {
        hint: 'Stop it on Home, or wait for it, before you open another workspace.',
      });
  }

  async #enter(folder: OpenFolder): Promise<Workspace> {
    await this.#leave();
    const queue = new RunQueue({
      store: folder.store,
      host: this.engine,
      folder: folder.folder,
      resolve: resourcesOf({ ...folder, engine: this.engine }),
    });
    const sources = { store: folder.store, engine: this.engine, folder: folder.folder };
    const judges = new Judges({ ...sources, placeOf: (model) => placeOf(sources, model) });
    const sql = new SqlRunner(folder.folder, this.#spawnSql);
    const runDoctor = new RunDoctor(folder.store, queue);
    const experiments = new Experiments(sources, queue);
    const work: OpenWorkspace['work'] = new Map();
    this.#open = { ...folder, queue, demo: new DemoWork(), judges, runDoctor, experiments, sql, work };
    runDoctor.start();
    experiments.start();
    for (const make of this.#always) this.work(make);
    this.config.opened(folder.folder, folder.facts.name);
    return folder.facts;
  }

  async #leave(): Promise<void> {
    const leaving = this.#open;
    // while its requests still reach the workspace
    leaving?.demo.stop();
    this.#open = null;
    for (const work of leaving?.work.values() ?? []) await work.close();
    await leaving?.sql.close();
    await leaving?.judges.close();
    await leaving?.runDoctor.close();
    await leaving?.experiments.close();
    await leaving?.queue.close();
    await leaving?.demo.settled();
    await leaving?.close();
  }
}
