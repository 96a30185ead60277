import type { Dataset, DatasetRow } from '../../preload/contract/datasets.ts';
import type { QueryRow } from '../../preload/contract/rows.ts';
import { ImportState } from '../features/datasets/importing.svelte.ts';
import { RowsView, type ViewAddress } from '../features/datasets/rows-view.svelte.ts';
import { allOf } from '../lib/pages.ts';
import { router } from '../lib/router.svelte.ts';
import { session } from '../lib/session.svelte.ts';
import { settings } from '../lib/settings.svelte.ts';
import { toasts } from '../lib/toasts.svelte.ts';

type RejectedLine = Awaited<ReturnType<typeof session.client.datasets.rejected>>[number];

/** State of the dataset list, the chosen dataset's rows, and the answers to the chosen row's prompt. */
export class DatasetsState {
  list = $state.raw<readonly Dataset[] | null>(null);
  rejected = $state.raw<readonly RejectedLine[]>([]);
  view = $state.raw<RowsView | null>(null);
  row = $state.raw<QueryRow | null>(null);
  answers = $state.raw<readonly DatasetRow[]>([]);
  readonly importing = new ImportState(session.client.datasets, async (dataset) => {
    await this.load();
    router.go(['datasets', dataset.id], { tab: 'doctor' });
  });
  private id: string | null = null;

  async load(): Promise<void> {
    const list = await session.attempt(() => allOf((page) => session.client.datasets.list(page)));
    if (list) this.list = [...list].sort((a, b) => b.createdAt - a.createdAt);
  }

  /** Shows a dataset: by the view in its address, else as it was left. */
  choose(id: string | null, address: ViewAddress = {}): void {
    if (id === this.id) return;
    this.id = id;
    this.row = null;
    this.answers = [];
    this.rejected = [];
    this.view = id ? this.viewOf(id, address) : null;
    if (id)
      void session.attempt(async () => {
        const lines = await session.client.datasets.rejected({ id });
        if (this.id === id) this.rejected = lines;
      });
  }

  private viewOf(id: string, address: ViewAddress): RowsView {
    const key = `rows/${id}`;
    const { q, sort, cols } = address;
    const isGiven = [q, sort, cols].some((part) => part !== undefined);
    return new RowsView(
      {
        page: (input) => session.client.rows.page({ id, ...input }),
        facets: (input) => session.client.rows.facets({ id, ...input }),
      },
      isGiven ? { q, sort, cols } : settings.get<ViewAddress>(key, {}),
      {
        error: (error) => toasts.error(error),
        keep: (kept) => {
          settings.set(key, kept);
          router.replace(['datasets', id], { ...kept });
        },
        facets: (shown) => settings.set('rows/facets', shown),
      },
      settings.get('rows/facets', true),
    );
  }

  chooseRow(index: number): void {
    const rows = this.view?.rows;
    if (rows) rows.chosen = index;
    const row = rows?.at(index);
    if (!row || !this.id) return;
    this.row = row;
    this.answers = this.answers.some(({ promptId }) => promptId === row.promptId) ? this.answers : [row];
    const id = this.id;
    void session.attempt(async () => {
      const answers = await session.client.datasets.prompt({ id, promptId: row.promptId });
      if (this.row === row) this.answers = answers;
    });
  }

  async rename(dataset: Dataset, name: string): Promise<void> {
    const before = dataset.name;
    const done = await session.attempt(() => session.client.datasets.rename({ id: dataset.id, name }));
    if (done)
      toasts.info(`Renamed to “${name}”.`, {
        label: 'Undo',
        run: () => void this.rename({ ...dataset, name }, before),
      });
    await this.load();
  }

  async remove(dataset: Dataset): Promise<void> {
    const done = await session.attempt(() => session.client.datasets.remove({ id: dataset.id }));
    if (!done) return;
    toasts.info(`Removed “${dataset.name}”.`);
    router.go(['datasets']);
    await this.load();
  }
}
