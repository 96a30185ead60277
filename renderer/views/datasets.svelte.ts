import type { Dataset, DatasetRow } from '../../preload/contract/datasets.ts';
import type { CurationEvent } from '../../preload/contract/curation.ts';
import type { QueryRow } from '../../preload/contract/rows.ts';
import { CurationState } from '../features/datasets/curating.svelte.ts';
import { eventText } from '../features/datasets/curation-text.ts';
import { ImportState } from '../features/datasets/importing.svelte.ts';
import { columnsFor, isExtra } from '../features/datasets/row-columns.ts';
import { RowsView, type ViewAddress } from '../features/datasets/rows-view.svelte.ts';
import { sqlOf, type SqlState } from '../features/datasets/sql/sql.svelte.ts';
import { VersionsState } from '../features/datasets/versions.svelte.ts';
import { allOf } from '../lib/pages.ts';
import { router } from '../lib/router.svelte.ts';
import { session } from '../lib/session.svelte.ts';
import { settings } from '../lib/settings.svelte.ts';
import { DatasetWork } from '../features/datasets/work.svelte.ts';
import { toasts } from '../lib/toasts.svelte.ts';

type RejectedLine = Awaited<ReturnType<typeof session.client.datasets.rejected>>[number];

/** State of the dataset list, the chosen dataset's rows, and the answers to the chosen row's prompt. */
export class DatasetsState {
  list = $state.raw<readonly Dataset[] | null>(null);
  rejected = $state.raw<readonly RejectedLine[]>([]);
  view = $state.raw<RowsView | null>(null);
  curation = $state.raw<CurationState | null>(null);
  versions = $state.raw<VersionsState | null>(null);
  work = $state.raw<DatasetWork | null>(null);
  sql = $state.raw<SqlState | null>(null);
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
    if (id === this.id) {
      const { q } = address;
      // a link to the rows of a finding, while its dataset is shown
      if (q !== undefined && q.trim() !== this.view?.rows.query.trim()) this.view?.rows.ask(q);
      return;
    }
    this.id = id;
    this.row = null;
    this.answers = [];
    this.rejected = [];
    this.view = id ? this.viewOf(id, address) : null;
    this.curation = id ? this.curationOf(id) : null;
    this.versions = id
      ? new VersionsState(session.client.versions, id, (error) => toasts.error(error))
      : null;
    this.work = id ? this.workOf(id) : null;
    this.sql = id ? this.sqlOf(id) : null;
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

  private curationOf(id: string): CurationState {
    const author = settings.get('labeler', '');
    const on = {
      error: (error: unknown) => toasts.error(error),
      nothing: () => toasts.info('These rows are so already.'),
      step: (event: CurationEvent) => {
        const isDone = event.state === 'applied';
        toasts.info(
          `${eventText(event)}.`,
          isDone ? { label: 'Undo', run: () => curation.undo() } : undefined,
        );
      },
      changed: () => void this.follow(id),
    };
    const curation = new CurationState(session.client.curation, { id, author, on });
    return curation;
  }

  private sqlOf(id: string): SqlState {
    const key = `sql/${id}`;
    return sqlOf(session.client.sql, id, {
      statements: settings.get<readonly string[]>(key, []),
      keep: (statements) => settings.set(key, statements),
    });
  }

  private workOf(id: string): DatasetWork {
    return new DatasetWork(session.client, {
      id,
      author: settings.get('labeler', ''),
      on: {
        error: (error) => toasts.error(error),
        nameOf: (runId) => session.runs.get(runId)?.name ?? runId,
        fixed: ({ event, version }) => {
          const saved = version ? ` Saved as version “${version.name}”.` : '';
          if (event)
            toasts.info(`${eventText(event)}.${saved}`, { label: 'Undo', run: () => this.curation?.undo() });
          else toasts.info(`No row had to change.${saved}`);
        },
        changed: () => {
          void this.follow(id);
          void this.curation?.refresh();
          void this.versions?.reload();
        },
      },
    });
  }

  /** A query of the selected rows; without any, or if it would be too long, that of the query bar. */
  get rowsQuery(): string {
    const selected = [...(this.curation?.selected ?? [])].map((row) => `row=${row}`).join(' OR ');
    const isShort = selected !== '' && selected.length <= 4000;
    return isShort ? selected : (this.view?.rows.query ?? '');
  }

  /** Columns beyond the built-in ones, as a query names them. */
  get extraColumns(): readonly string[] {
    return columnsFor(this.view?.rows.facets ?? null, [])
      .filter(isExtra)
      .map(({ id }) => id);
  }

  /** Shows the rows of a query. */
  ask(query: string): void {
    this.view?.rows.ask(query);
    this.view?.keep();
  }

  /** Shows a dataset that was just made. */
  async show(dataset: Dataset): Promise<void> {
    await this.load();
    router.go(['datasets', dataset.id]);
  }

  /** Shows what a step that was made elsewhere on the screen has changed. */
  async changed(): Promise<void> {
    await this.curation?.refresh();
    if (this.id) await this.follow(this.id);
  }

  /** Shows what a change has made of the rows; the place that was chosen stays so. */
  private async follow(id: string): Promise<void> {
    if (this.id !== id) return;
    this.view?.rows.again();
    if (this.row && this.view?.rows.chosen == null) void this.showRow(this.row.row);
    void this.work?.examination.load();
    await this.load();
  }

  /** Shows the chosen row, once it is read. */
  showChosen(): void {
    const rows = this.view?.rows;
    const row = rows?.chosen == null ? undefined : rows.at(rows.chosen);
    if (!row || !this.id || row === this.row) return;
    if (row.row !== this.row?.row) void this.curation?.showRow(row.row);
    this.row = row;
    this.answers = this.answers.some(({ promptId }) => promptId === row.promptId) ? this.answers : [row];
    void this.loadAnswers(this.id, row);
  }

  /** Shows a row by its number, whether it matches the query or not. */
  async showRow(number: number): Promise<void> {
    const { id, work } = this;
    await session.attempt(async () => {
      const row = await work?.map.read(number);
      if (!row || !id || this.id !== id) return;
      if (this.view) this.view.rows.chosen = null;
      void this.curation?.showRow(number);
      [this.row, this.answers] = [row, [row]];
      await this.loadAnswers(id, row);
    });
  }

  private async loadAnswers(id: string, row: QueryRow): Promise<void> {
    await session.attempt(async () => {
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
