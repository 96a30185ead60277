import type { Snippet } from 'svelte';
import type { RunMark } from '../lib/run-colors.svelte.ts';

/** Presentation of a column, independent of its cells. */
interface ColumnLook<Row> {
  /** Tells a snippet that several columns share which of them it draws. */
  readonly id?: string;
  /** A table in which no column has one has no head. */
  readonly title?: string;
  /** Follows the title, fainter. */
  readonly unit?: string;
  readonly hint?: string;
  /** Of the run whose column it is; it precedes the title. */
  readonly mark?: RunMark;
  /** True if the title is for screen readers alone. */
  readonly titleHidden?: boolean;
  /** Numbers are set to the right; a heading names its row. */
  readonly kind?: 'text' | 'number' | 'heading';
  /** Classes of every page for its cells: `mono`, `ellipsis`, `quiet-text` … */
  readonly class?: string;
  readonly width?: string;
  readonly minWidth?: string;
  readonly maxWidth?: string;
  /** True if a window of less than 1,100 px leaves it out. */
  readonly spare?: boolean;
  readonly cellHint?: (row: Row) => string | undefined;
  /** True if its cell spans the rest of the row, as a remark does. */
  readonly fills?: (row: Row) => boolean;
}

/** A column of a table: its cells are texts, or snippets where they hold more than text. */
export type Column<Row> = ColumnLook<Row> &
  (
    | { readonly text: (row: Row, at: number) => string; readonly cell?: undefined }
    | { readonly cell: Snippet<[row: Row, column: Column<Row>]>; readonly text?: undefined }
  );
