import { SvelteMap } from 'svelte/reactivity';
import { WhetstoneError, type ErrorFacts } from '../../../engine/common/errors.ts';
import type { Facet, QueryRow, RowSort } from '../../../preload/contract/rows.ts';
import { parseQuery, wordsIn } from '../../../preload/wire/query.ts';
import { toggledTerm } from '../../../preload/wire/query-edit.ts';
import type { SearchWord } from '../../../preload/wire/row-search.ts';

interface Page {
  readonly total: number | null;
  readonly more: boolean;
  readonly rows: readonly QueryRow[];
}
export interface RowSource {
  page(input: { query: string; sort: RowSort | null; offset: number; limit: number }): Promise<Page>;
  facets(input: { query: string }): Promise<{ total: number; facets: readonly Facet[] }>;
}

const PAGE = 100;

/** A view of a dataset's rows: what an address or the settings keep of it. */
export interface RowView {
  readonly query: string;
  readonly sort: RowSort | null;
}

/** Rows of one dataset that match a query, fetched page by page as they scroll into view, and their facets. */
export class RowQuery {
  query = $state('');
  sort = $state.raw<RowSort | null>(null);
  /** Number of matching rows that are known; more may come until `isCounted`. */
  total = $state<number | null>(null);
  isCounted = $state(false);
  facets = $state.raw<readonly Facet[] | null>(null);
  /** The fault of the query, with its term in `where`. */
  fault = $state.raw<ErrorFacts | null>(null);
  /** True if reading the rows failed. */
  failed = $state(false);
  /** Index of the chosen row under the current query. */
  chosen = $state<number | null>(null);
  /** The words to mark in the rows. */
  words = $state.raw<readonly SearchWord[]>([]);
  private readonly rows = new SvelteMap<number, readonly QueryRow[]>();
  private requested: readonly number[] = [];
  private readonly source: RowSource;
  private readonly onError: (error: unknown) => void;
  private generation = 0;

  constructor(
    source: RowSource,
    onError: (error: unknown) => void,
    view: RowView = { query: '', sort: null },
  ) {
    this.source = source;
    this.onError = onError;
    [this.query, this.sort] = [view.query, view.sort];
    this.restart();
  }

  at(index: number): QueryRow | undefined {
    return this.rows.get(Math.floor(index / PAGE))?.[index % PAGE];
  }

  /** Fetches the missing rows of `first`–`last`. */
  need(first: number, last: number): void {
    if (this.fault) return;
    for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page++) void this.fetch(page);
  }

  ask(query: string): void {
    if (query.trim() === this.query.trim()) return;
    this.query = query;
    this.chosen = null;
    this.restart();
  }

  toggle(term: string): void {
    this.ask(toggledTerm(this.query, term));
  }

  /** Sorts by a column: first upwards, then downwards, then in the order of the file. */
  sortBy(column: string): void {
    const { sort } = this;
    if (sort?.column !== column) this.sort = { column, descending: false };
    else this.sort = sort.descending ? null : { column, descending: true };
    this.chosen = null;
    this.restart();
  }

  /** Reads everything again, after a failure or a change of rows; the chosen row stays chosen. */
  again(): void {
    this.restart();
  }

  private restart(): void {
    this.generation += 1;
    [this.failed, this.isCounted, this.fault, this.requested] = [false, false, null, []];
    this.rows.clear();
    try {
      this.words = wordsIn(parseQuery(this.query));
    } catch (error) {
      this.fail(error);
      return;
    }
    this.need(0, 0);
    // a fast reader who has scrolled down still sees the rows there
    if (this.chosen !== null) this.need(this.chosen, this.chosen);
    void this.count();
  }

  private async fetch(page: number): Promise<void> {
    if (this.requested.includes(page)) return;
    this.requested = [...this.requested, page];
    const { generation, query, sort } = this;
    try {
      const rows: QueryRow[] = [];
      // pages are shorter than requested if texts are long
      for (let isMore = true; isMore && rows.length < PAGE;) {
        const offset = page * PAGE + rows.length;
        const part = await this.source.page({ query, sort, offset, limit: PAGE - rows.length });
        if (generation !== this.generation) return;
        rows.push(...part.rows);
        isMore = part.more && part.rows.length > 0;
        this.counted(part.total, offset + part.rows.length + Number(part.more));
      }
      this.rows.set(page, rows);
    } catch (error) {
      if (generation !== this.generation) return;
      this.requested = this.requested.filter((each) => each !== page);
      this.fail(error);
    }
  }

  private counted(total: number | null, atLeast: number): void {
    this.failed = false;
    if (this.isCounted) return;
    this.isCounted = total !== null;
    this.total = total ?? Math.max(atLeast, this.requested.length > 1 ? (this.total ?? 0) : 0);
  }

  private async count(): Promise<void> {
    const { generation, query } = this;
    try {
      const { total, facets } = await this.source.facets({ query });
      if (generation !== this.generation) return;
      [this.total, this.isCounted, this.facets] = [total, true, facets];
    } catch (error) {
      if (generation === this.generation) this.fail(error);
    }
  }

  private fail(error: unknown): void {
    const fact = WhetstoneError.from(error);
    if (fact.kind === 'invalid-input' || fact.kind === 'unsupported') {
      this.fault = fact.facts;
      this.total = null;
      return;
    }
    if (this.rows.size === 0) [this.total, this.failed] = [null, true];
    this.onError(error);
  }
}
