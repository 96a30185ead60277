import { SvelteSet } from 'svelte/reactivity';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { FoundLog, LogImportProgress, LogImportResult } from '../../../preload/contract/logs.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import { Task } from '../../lib/task.svelte.ts';

type Port = Pick<WhetstoneClient['logs'], 'find' | 'import'>;
type Reading = Extract<LogImportProgress, { state: 'reading' }>;

/** State of importing logs: a path, the runs found there, those chosen, and the import. */
export class LogImportState {
  path = $state('');
  name = $state('');
  readonly chosen = new SvelteSet<string>();
  reading = $state.raw<Reading | null>(null);
  result = $state.raw<LogImportResult | null>(null);
  readonly looking = new Task();
  readonly importing = new Task();
  /** The runs found at the path; null once the path has changed. */
  found = $derived.by(() => (this.listed?.path === this.path.trim() ? this.listed.found : null));
  private listed = $state.raw<{ readonly path: string; readonly found: readonly FoundLog[] } | null>(null);
  private release: () => void = () => undefined;
  private turn = 0;
  private readonly port: Port;

  constructor(port: Port) {
    this.port = port;
  }

  get busy(): boolean {
    return this.looking.busy || this.importing.busy;
  }
  get error(): WhetstoneError | null {
    return this.looking.error ?? this.importing.error;
  }

  /** Lists the runs at the path, all of them chosen. */
  async look(): Promise<void> {
    const path = this.path.trim();
    if (path === '' || this.busy) return;
    const turn = ++this.turn;
    this.forget();
    await this.looking.run(async () => {
      const found = await this.port.find({ path });
      if (turn !== this.turn) return;
      this.listed = { path, found };
      for (const { key } of found) this.chosen.add(key);
    });
  }

  toggle(key: string): void {
    if (!this.chosen.delete(key)) this.chosen.add(key);
  }

  /** Chooses all runs, or none if all are chosen. */
  toggleAll(): void {
    const all = this.found ?? [];
    const isFull = all.every(({ key }) => this.chosen.has(key));
    this.chosen.clear();
    if (!isFull) for (const { key } of all) this.chosen.add(key);
  }

  async import(): Promise<void> {
    if (this.busy || !this.found || this.chosen.size === 0) return;
    const keys = this.found.map(({ key }) => key).filter((key) => this.chosen.has(key));
    this.result = null;
    await this.importing.run(async () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const close = this.port.import(
        { path: this.path.trim(), name: this.name.trim(), keys },
        (progress) => {
          if (progress.state === 'done') this.result = progress.result;
          else this.reading = progress;
        },
        (error) => (error === undefined ? resolve() : reject(WhetstoneError.from(error))),
      );
      this.release = () => {
        close();
        reject(new WhetstoneError('cancelled', 'The import was cancelled. Nothing was stored.'));
      };
      await promise;
    });
    this.release = () => undefined;
    this.reading = null;
    if (this.result) this.listed = null;
  }

  /** Cancels the import; nothing of it is stored. */
  cancel(): void {
    this.release();
  }

  private forget(): void {
    this.listed = null;
    this.result = null;
    this.importing.error = null;
    this.chosen.clear();
  }
}
