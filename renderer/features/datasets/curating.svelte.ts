import { SvelteSet } from 'svelte/reactivity';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import type {
  CurationEvent,
  CurationProgress,
  RowChange,
  RowStep,
  RowTarget,
} from '../../../preload/contract/curation.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';

type Client = WhetstoneClient['curation'];
type Working = CurationProgress & { state: 'changing' };

interface On {
  readonly error: (error: unknown) => void;
  /** A step was stored: what it did. */
  readonly step: (event: CurationEvent) => void;
  /** No row had to change. */
  readonly nothing: () => void;
  /** Rows may have changed. */
  readonly changed: () => void;
}

const busyError = (): WhetstoneError =>
  new WhetstoneError('conflict', 'This change was not made: another one of this dataset is running.', {
    hint: 'Try it again when that is done.',
  });

/** Changes of one dataset's rows, one at a time: of the selected rows, or of all that match the query. */
export class CurationState {
  readonly selected = new SvelteSet<number>();
  working = $state.raw<Working | null>(null);
  busy = $state(false);
  history = $state.raw<readonly CurationEvent[] | null>(null);
  /** The steps that changed the chosen row. */
  steps = $state.raw<readonly RowStep[]>([]);
  canUndo = $derived(this.history?.some(({ state }) => state === 'applied') ?? false);
  canRedo = $derived(this.nextRedo() !== null);
  private readonly client: Client;
  private readonly id: string;
  private readonly author: string;
  private readonly on: On;
  private release: (() => void) | null = null;
  /** Keys may be pressed faster than steps are stored: each has its turn. */
  private waiting: ('undo' | 'redo')[] = [];
  private row: number | null = null;

  constructor(client: Client, { id, author, on }: { id: string; author: string; on: On }) {
    this.client = client;
    this.id = id;
    this.author = author;
    this.on = on;
    void this.load();
  }

  /** The rows that a change concerns: the selected ones, else all of the query. */
  target(query: string): RowTarget {
    return this.selected.size > 0 ? { rows: [...this.selected] } : { query };
  }

  change(target: RowTarget, change: RowChange): void {
    const { id, author } = this;
    if (this.busy) this.on.error(busyError());
    else this.start((value, end) => this.client.change({ id, target, change, author }, value, end));
  }

  /** Takes the newest step back, after what runs now. */
  undo(): void {
    this.waiting.push('undo');
    this.next();
  }

  /** Repeats the step that was undone last, after what runs now. */
  redo(): void {
    this.waiting.push('redo');
    this.next();
  }

  async add(row: { prompt: string; answer: string; reference: string | null }): Promise<number | null> {
    try {
      const added = await this.client.add({ id: this.id, author: this.author, row });
      await this.done();
      return added.row;
    } catch (error) {
      this.on.error(error);
      return null;
    }
  }

  /** Takes the running change back; until that is done, no other can start. */
  async cancel(): Promise<void> {
    const { release } = this;
    if (!release) return;
    [this.working, this.release, this.waiting] = [null, null, []];
    release();
    try {
      await this.client.settle({ id: this.id });
    } catch (error) {
      this.on.error(error);
    }
    await this.end();
  }

  toggle(row: number): void {
    if (!this.selected.delete(row)) this.selected.add(row);
  }

  /** Shows the steps of a row. */
  async showRow(row: number | null): Promise<void> {
    this.row = row;
    this.steps = [];
    if (row === null) return;
    try {
      const steps = await this.client.row({ id: this.id, row });
      if (this.row === row) this.steps = steps;
    } catch (error) {
      this.on.error(error);
    }
  }

  private start(
    open: (value: (progress: CurationProgress) => void, end: (error?: unknown) => void) => () => void,
  ): void {
    if (this.busy) return;
    this.busy = true;
    this.release = open(
      (progress) => {
        if (progress.state === 'changing') this.working = progress;
        else if (progress.event) this.on.step(progress.event);
        else this.on.nothing();
      },
      (error) => {
        if (error) {
          // what waits was meant for the state behind this step
          this.waiting = [];
          this.on.error(error);
        }
        void this.end();
      },
    );
  }

  private next(): void {
    if (this.busy) return;
    const step = this.waiting.shift();
    if (!step) return;
    const { id, author } = this;
    if (step === 'undo' ? this.canUndo : this.canRedo)
      this.start((value, end) => this.client[step]({ id, author }, value, end));
    else this.next();
  }

  /** The next step can start once the history is read again: what can be undone has changed. */
  private async end(): Promise<void> {
    [this.working, this.release] = [null, null];
    try {
      await this.done();
    } finally {
      this.busy = false;
    }
    this.next();
  }

  private async done(): Promise<void> {
    this.on.changed();
    await Promise.all([this.load(), this.showRow(this.row)]);
  }

  /** Reads the steps again, after one that was made elsewhere. */
  refresh(): Promise<void> {
    return this.load();
  }

  private async load(): Promise<void> {
    try {
      this.history = await this.client.history({ id: this.id });
    } catch (error) {
      this.on.error(error);
    }
  }

  /** The step that redo repeats: the newest undone one, unless another came after it. */
  private nextRedo(): CurationEvent | null {
    const newest = this.history?.find(({ state }) => state === 'applied');
    const undone = this.history?.filter(({ state }) => state === 'undone') ?? [];
    const next = undone.filter(({ sequence }) => sequence > (newest?.sequence ?? 0)).at(-1);
    return next ?? null;
  }
}
