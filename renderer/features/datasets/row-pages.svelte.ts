import { SvelteMap } from 'svelte/reactivity';
import type { DatasetRow } from '../../../preload/contract/datasets.ts';

export type Show = 'all' | 'correct' | 'wrong' | 'unmarked';
type Load = (input: {
  offset: number;
  limit: number;
  search: string;
  show: Show;
}) => Promise<{ total: number; rows: DatasetRow[] }>;

const PAGE = 100;

/** Rows of one dataset under a search and a filter, fetched page by page as they scroll into view. */
export class RowPages {
  total = $state<number | null>(null);
  search = $state('');
  show = $state<Show>('all');
  /** Whether reading the rows failed. */
  failed = $state(false);
  /** Index of the chosen row under the current filter. */
  chosen = $state<number | null>(null);
  private readonly rows = new SvelteMap<number, readonly DatasetRow[]>();
  private requested: readonly number[] = [];
  private readonly load: Load;
  private readonly onError: (error: unknown) => void;
  private generation = 0;

  constructor(load: Load, onError: (error: unknown) => void) {
    this.load = load;
    this.onError = onError;
    this.need(0, 0);
  }

  at(index: number): DatasetRow | undefined {
    return this.rows.get(Math.floor(index / PAGE))?.[index % PAGE];
  }

  /** Fetches the missing rows of `first`–`last`. */
  need(first: number, last: number): void {
    for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page++) void this.fetch(page);
  }

  filter(search: string, show: Show): void {
    if (search === this.search && show === this.show) return;
    this.search = search;
    this.show = show;
    this.chosen = null;
    this.generation += 1;
    this.failed = false;
    this.requested = [];
    this.rows.clear();
    this.need(0, 0);
  }

  /** Retries failed pages. */
  again(): void {
    this.failed = false;
    this.need(0, 0);
  }

  private async fetch(page: number): Promise<void> {
    if (this.requested.includes(page)) return;
    this.requested = [...this.requested, page];
    const { generation } = this;
    try {
      const rows: DatasetRow[] = [];
      let more = PAGE;
      // pages are shorter than requested if texts are long
      while (more > 0) {
        const part = await this.load({
          offset: page * PAGE + rows.length,
          limit: more,
          search: this.search,
          show: this.show,
        });
        if (generation !== this.generation) return;
        [this.total, this.failed] = [part.total, false];
        rows.push(...part.rows);
        more = part.rows.length === 0 ? 0 : Math.min(PAGE, part.total - page * PAGE) - rows.length;
      }
      this.rows.set(page, rows);
    } catch (error) {
      if (generation !== this.generation) return;
      this.requested = this.requested.filter((each) => each !== page);
      // discards the count of the previous search
      if (this.rows.size === 0) [this.total, this.failed] = [null, true];
      this.onError(error);
    }
  }
}
