import type { Snippet } from 'svelte';
import type { RunMark } from '../lib/run-colors.svelte.ts';

/** How a column looks, whatever its cells hold. */
interface ColumnLook<Row> {
  /** A table in which no column has one has no head. */
  readonly title?: string;
  /** Follows the title, fainter. */
  readonly unit?: string;
  readonly hint?: string;
  /** Of the run whose column it is; it precedes the title. */
  readonly mark?: RunMark;
  /** Whether the title is for screen readers alone. */
  readonly titleHidden?: boolean;
  /** Numbers are set to the right; a heading names its row. */
  readonly kind?: 'text' | 'number' | 'heading';
  /** Classes of every page for its cells: `mono`, `ellipsis`, `quiet-text` … */
  readonly class?: string;
  readonly width?: string;
  readonly minWidth?: string;
  readonly maxWidth?: string;
  /** Whether a window of less than 1,100 px leaves it out. */
  readonly spare?: boolean;
  readonly cellHint?: (row: Row) => string | undefined;
  /** Whether its cell is a remark that takes the place of all that would follow in the row. */
  readonly fills?: (row: Row) => boolean;
}

/** A column of a table: its cells are texts, or snippets where they hold more than text. */
export type Column<Row> = ColumnLook<Row> &
  (
    | { readonly text: (row: Row, at: number) => string; readonly cell?: undefined }
    | { readonly cell: Snippet<[row: Row]>; readonly text?: undefined }
  );
