import type { Dataset, DatasetRow } from '../../preload/contract/datasets.ts';
import { ImportState } from '../features/datasets/importing.svelte.ts';
import { RowPages } from '../features/datasets/row-pages.svelte.ts';
import { allOf } from '../lib/pages.ts';
import { router } from '../lib/router.svelte.ts';
import { session } from '../lib/session.svelte.ts';
import { toasts } from '../lib/toasts.svelte.ts';

type RejectedLine = Awaited<ReturnType<typeof session.client.datasets.rejected>>[number];

/** State of the dataset list, the chosen dataset's rows, and the answers to the chosen row's prompt. */
export class DatasetsState {
  list = $state.raw<readonly Dataset[] | null>(null);
  rejected = $state.raw<readonly RejectedLine[]>([]);
  pages = $state.raw<RowPages | null>(null);
  row = $state.raw<DatasetRow | null>(null);
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

  choose(id: string | null): void {
    if (id === this.id) return;
    this.id = id;
    this.row = null;
    this.answers = [];
    this.rejected = [];
    this.pages = id
      ? new RowPages(
          (input) => session.client.datasets.rows({ id, ...input }),
          (error) => toasts.error(error),
        )
      : null;
    if (id)
      void session.attempt(async () => {
        const lines = await session.client.datasets.rejected({ id });
        if (this.id === id) this.rejected = lines;
      });
  }

  chooseRow(index: number): void {
    if (this.pages) this.pages.chosen = index;
    const row = this.pages?.at(index);
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
