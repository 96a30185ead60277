import type { RowSort } from '../../../preload/contract/rows.ts';
import { usualColumns } from './row-columns.ts';
import { RowQuery, type RowSource } from './row-query.svelte.ts';

/** Values of an address that belong to a view of rows. */
export interface ViewAddress {
  readonly q?: string;
  /** A column; with `-` in front, downwards. */
  readonly sort?: string;
  /** Ids of columns between commas. */
  readonly cols?: string;
}

export const sortFrom = (text: string | undefined): RowSort | null =>
  text ? { column: text.replace(/^-/, ''), descending: text.startsWith('-') } : null;
const sortText = (sort: RowSort | null): string | undefined =>
  sort ? `${sort.descending ? '-' : ''}${sort.column}` : undefined;

/** A person's view of a dataset's rows: query, sort and columns, which an address and the settings keep. */
export class RowsView {
  readonly rows: RowQuery;
  columns = $state.raw<readonly string[]>(usualColumns);
  showsFacets = $state(true);
  private readonly onKeep: (address: ViewAddress) => void;
  private readonly onFacets: (shown: boolean) => void;

  constructor(
    source: RowSource,
    address: ViewAddress,
    on: {
      readonly error: (error: unknown) => void;
      readonly keep: (address: ViewAddress) => void;
      readonly facets: (shown: boolean) => void;
    },
    showsFacets = true,
  ) {
    this.rows = new RowQuery(source, on.error, { query: address.q ?? '', sort: sortFrom(address.sort) });
    if (address.cols) this.columns = address.cols.split(',').filter(Boolean).map(decodeURIComponent);
    this.onKeep = on.keep;
    this.onFacets = on.facets;
    this.showsFacets = showsFacets;
  }

  /** The parts of an address that show this view again. */
  get address(): ViewAddress {
    const isUsual = this.columns.join() === usualColumns.join();
    return {
      q: this.rows.query.trim() || undefined,
      sort: sortText(this.rows.sort),
      cols: isUsual ? undefined : this.columns.map(encodeURIComponent).join(','),
    };
  }

  keep(): void {
    this.onKeep(this.address);
  }

  chooseColumns(columns: readonly string[]): void {
    this.columns = columns.length > 0 ? columns : usualColumns;
    this.keep();
  }

  toggleFacets(): void {
    this.showsFacets = !this.showsFacets;
    this.onFacets(this.showsFacets);
  }
}
