import type { SearchWord } from '../../../preload/wire/row-search.ts';
import type { Sliced } from '../slices.ts';
import type { Bits } from './bits.ts';

/** A column of a whole table, one cell per row; see `PartColumn`. */
export type Column =
  | { readonly kind: 'number'; readonly data: Float64Array }
  | { readonly kind: 'category'; readonly data: Uint16Array; readonly values: readonly string[] }
  | {
      readonly kind: 'text';
      readonly data: Uint8Array;
      /** The texts of each part that has some, or null if those of one are long. */
      readonly texts: ReadonlyMap<number, string> | null;
    };

/** The texts of a row, for terms that the columns and the index cannot decide. */
export interface RowTexts {
  readonly row: number;
  readonly prompt: string;
  readonly answer: string;
  readonly reference: string | null;
  readonly extra: string | null;
}

/** Rows that surely match, and rows that may. */
export interface Found {
  readonly yes: Bits;
  readonly maybe: Bits;
}

/** A table that a query is evaluated on: the rows of a dataset, or the answers of runs. */
export interface Queried {
  readonly size: number;
  /** The rows that exist. */
  readonly present: Bits;
  /** Results that hold for this table. */
  readonly cache: Map<string, unknown>;
  /** True if some rows have columns that only their texts show. */
  readonly hasOthers: boolean;
  /** True if a name in a query means a set of marks. */
  isSet(column: string): boolean;
  /** True if some row has a cell in the column of this stored name. */
  has(name: string): boolean;
  /** The stored name of the column that a query means. Throws `invalid-input` with the term. */
  nameOf(column: string, term: string): string;
  /** A column by its stored name; null if no row has it. */
  column(name: string): Sliced<Column | null>;
  /** The rows with a mark; a name that ends with a colon means every mark of this kind. */
  set(name: string): Bits;
  /** The rows whose note contains a text, or is it. */
  notes(text: string, whole: boolean): Bits;
  /** The rows that have a word, as far as an index knows; `quick`: without a long look-up. */
  word(word: SearchWord, quick: boolean): Found;
  texts(rows: readonly number[]): RowTexts[];
}
