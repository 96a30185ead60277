import type { ColumnExample, ReadEvent } from '../../engine/index.ts';
import type { ErrorFacts } from '../../engine/common/errors.ts';
import type { PackedRows } from '../store/packed-rows.ts';
import type { Mapping } from '../../engine/schema/mapping.ts';

export interface ImportOptions {
  readonly path: string;
  /** Skip broken lines, and store them with their reasons; else the first one refuses the file. */
  readonly keepGoodLines: boolean;
  /** Only count the rows. */
  readonly countOnly?: boolean;
  /** Only list the columns. */
  readonly columnsOnly?: boolean;
  /** Columns chosen by hand, instead of a detected layout. */
  readonly mapping?: Mapping;
}
/** A batch of rows packed for the store (empty if they are only counted), with their number. */
type Batch = Omit<Extract<ReadEvent, { state: 'reading' }>, 'rows'> & {
  readonly packed: PackedRows;
  readonly count: number;
};
export type ImportMessage =
  | Batch
  | Extract<ReadEvent, { state: 'done' }>
  | { readonly state: 'columns'; readonly columns: readonly ColumnExample[] }
  | { readonly state: 'failed'; readonly error: ErrorFacts };

/** Batches that the thread may read ahead of the store. */
export const READ_AHEAD = 3;
