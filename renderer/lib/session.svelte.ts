import { SvelteMap } from 'svelte/reactivity';
import type { WhetstoneError } from '../../engine/common/errors.ts';
import type { DemoStatus } from '../../preload/contract/demo.ts';
import type { Run, RunListChange } from '../../preload/contract/runs.ts';
import type { EngineStatus } from '../../preload/contract/system.ts';
import type { Workspace } from '../../preload/contract/workspaces.ts';
import { Connection } from './client.ts';
import { allOf } from './pages.ts';
import { RunColors } from './run-colors.svelte.ts';
import { settings } from './settings.svelte.ts';
import { toasts } from './toasts.svelte.ts';
import { defaultTransport } from './transport.ts';
import type { ConnectionState } from './transport.ts';

/**
 * Shared state of all views: the connection, the open workspace, its runs as they change, and the status of
 * the engine and of the demo.
 */
class Session {
  readonly connection = new Connection(defaultTransport());
  readonly client = this.connection.client;
  readonly runs = new SvelteMap<string, Run>();
  /** Names by run; separate from the runs, so that a step does not redraw components that only show a name. */
  private readonly names = new SvelteMap<string, string>();
  readonly colors = new RunColors();
  state = $state<ConnectionState>('connecting');
  /** Undefined until the services have answered; null if none is open. */
  workspace = $state.raw<Workspace | null | undefined>(undefined);
  engine = $state.raw<EngineStatus | null>(null);
  /** The demo in the open workspace. */
  demo = $state.raw<DemoStatus | null>(null);
  transport = $state<'ipc' | 'loopback'>('loopback');
  version = $state('');
  /** Newest first. */
  runList = $derived([...this.runs.values()].sort((a, b) => b.createdAt - a.createdAt));
  /** Runs in the engine, the first one first. */
  live = $derived(
    this.runList
      .filter((run) => run.state === 'running' || run.state === 'stopping')
      .sort((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0)),
  );
  running = $derived(this.live[0] ?? null);
  /** Waiting runs in the order in which they start. */
  queued = $derived(
    this.runList
      .filter((run) => run.state === 'queued')
      .reverse()
      .sort((a, b) => (a.place ?? 0) - (b.place ?? 0)),
  );
  private unfollow: (() => void) | null = null;
  private turn = 0;

  start(): () => void {
    const release = this.connection.onState((state) => {
      this.state = state;
      if (state === 'open') void this.attempt(() => this.greet());
    });
    const stop = this.connection.start();
    return () => {
      release();
      stop();
      this.unfollow?.();
    };
  }

  private async greet(): Promise<void> {
    const [info, stored, workspace] = await Promise.all([
      this.client.system.info({}),
      this.client.system.settings({}),
      this.client.workspaces.current({}),
    ]);
    this.transport = info.transport;
    this.version = info.version;
    settings.load(stored, (key, value) => {
      void this.attempt(() => this.client.system.setSetting({ key, value }));
    });
    await this.enter(workspace);
  }

  /**
   * Shows another workspace: first clears the state of the last one. Subscribes to changes before it loads
   * the list, and applies them after it, so that none is lost; a newer call wins.
   */
  async enter(workspace: Workspace | null): Promise<void> {
    this.unfollow?.();
    this.unfollow = null;
    this.demo = null;
    const turn = ++this.turn;
    if (workspace?.id !== this.workspace?.id) this.runs.clear();
    if (workspace) {
      const early: RunListChange[] = [];
      let onChange = (change: RunListChange): void => void early.push(change);
      const release = [
        this.followDemo(),
        this.connection.follow(
          (end) => this.client.runs.watch({}, (change) => onChange(change), end),
          (error) => toasts.error(error),
        ),
        this.connection.follow(
          (end) =>
            this.client.system.engine(
              {},
              (status) => {
                this.engine = status;
              },
              end,
            ),
          (error) => toasts.error(error),
        ),
      ];
      this.unfollow = () => {
        for (const each of release) each();
      };
      const [kept, archived] = await Promise.all([
        allOf((page) => this.client.runs.list(page)),
        allOf((page) => this.client.runs.list({ archived: true, ...page })),
      ]);
      if (turn !== this.turn) return;
      this.colors.load(workspace.id);
      const listed = [...kept, ...archived];
      for (const id of [...this.runs.keys()]) if (!listed.some((run) => run.id === id)) this.runs.delete(id);
      this.merge(listed);
      early.forEach((change) => this.change(change));
      onChange = (change) => this.change(change);
    }
    this.workspace = workspace;
  }

  private followDemo(): () => void {
    return this.connection.follow(
      (end) =>
        this.client.demo.watch(
          {},
          (status) => {
            this.demo = status;
          },
          end,
        ),
      (error) => toasts.error(error),
    );
  }

  private change({ runs, removed }: RunListChange): void {
    this.merge(runs);
    for (const id of removed) this.runs.delete(id);
  }

  merge(runs: readonly Run[]): void {
    for (const run of [...runs].sort((a, b) => a.createdAt - b.createdAt)) {
      this.colors.assign(run.id);
      this.names.set(run.id, run.name || run.method);
      this.runs.set(run.id, run);
    }
  }

  runName(id: string): string {
    return this.names.get(id) ?? id.slice(0, 8);
  }

  /** Runs an action; a failure shows a toast with its message, and returns `undefined`. */
  async attempt<T>(action: () => Promise<T>): Promise<T | undefined> {
    try {
      return await action();
    } catch (error) {
      toasts.error(error as WhetstoneError);
      return undefined;
    }
  }
}

export const session = new Session();
