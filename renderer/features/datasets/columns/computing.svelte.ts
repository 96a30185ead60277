import { SvelteMap } from 'svelte/reactivity';
import { WhetstoneError } from '../../../../engine/common/errors.ts';
import type { ColumnDefinition, ColumnProgress } from '../../../../preload/contract/columns.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';

type Client = WhetstoneClient['columns'];
type Definition = Parameters<Client['preview']>[0]['definition'];
type Working = Extract<ColumnProgress, { state: 'computing' }>;
type Done = Extract<ColumnProgress, { state: 'done' }>;
export type PreviewRow = Awaited<ReturnType<Client['preview']>>['rows'][number];
export type { ColumnDefinition };

const keyOf = (definition: Definition, query: string): string => JSON.stringify([definition, query]);

/** A column that is computed for a dataset, with a preview before. */
export class ComputingState {
  working = $state.raw<Working | null>(null);
  busy = $state(false);
  done = $state.raw<(Done & { readonly name: string }) | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  preview = $state.raw<readonly PreviewRow[] | null>(null);
  previewing = $state(false);
  /** Rows have changed: a screen that shows them reads them again. */
  onChanged: () => void = () => undefined;
  private readonly client: Client;
  private readonly id: string;
  private release: (() => void) | null = null;
  private turn = 0;
  /** The definition and the query of the preview. */
  private previewed = $state('');

  constructor(client: Client, id: string) {
    [this.client, this.id] = [client, id];
  }

  /** Shows the values of the first rows; a newer preview takes the place of an older one. */
  async show(definition: Definition, query: string): Promise<void> {
    const turn = (this.turn += 1);
    [this.previewing, this.error] = [true, null];
    try {
      const { rows } = await this.client.preview({ id: this.id, definition, query });
      if (turn === this.turn) [this.preview, this.previewed] = [rows, keyOf(definition, query)];
    } catch (error) {
      if (turn === this.turn) [this.preview, this.error] = [null, WhetstoneError.from(error)];
    } finally {
      if (turn === this.turn) this.previewing = false;
    }
  }

  /** True if the preview is of this definition and query: after a change of either it is stale. */
  isShown(definition: Definition | null, query: string): boolean {
    return definition !== null && this.previewed === keyOf(definition, query);
  }

  compute(name: string, definition: Definition, query: string, author: string): void {
    if (this.busy) return;
    [this.busy, this.done, this.error] = [true, null, null];
    this.release = this.client.compute(
      { id: this.id, name, definition, query, author },
      (progress) => {
        if (progress.state === 'computing') this.working = progress;
        else this.done = { ...progress, name };
      },
      (error) => {
        this.end();
        if (error) this.error = WhetstoneError.from(error);
        this.onChanged();
      },
    );
  }

  /** Stops the computation: nothing of the column is stored. */
  cancel(): void {
    const { release } = this;
    this.end();
    release?.();
  }

  private end(): void {
    [this.busy, this.working, this.release] = [false, null, null];
  }
}

/** Columns that are computed while other screens are shown, by dataset. */
const running = new SvelteMap<string, ComputingState>();

/** The state of a dataset's computation: a running one, else a new one. */
export function computingOf(client: Client, id: string, onChanged: () => void): ComputingState {
  const known = running.get(id);
  const state = known?.busy === true ? known : new ComputingState(client, id);
  state.onChanged = onChanged;
  running.set(id, state);
  return state;
}
