import type { Message } from '../../schema/conversation.ts';
import type { Verdict } from '../../schema/preference.ts';

export type RecordOf = Readonly<Record<string, unknown>>;

/** A row of a dataset to export. */
export interface RowItem {
  readonly row: number;
  readonly line: number;
  readonly prompt: string;
  readonly answer: string;
  readonly reference: string | null;
  readonly correct: boolean | null;
  readonly source: string;
  readonly messages?: readonly Message[];
  readonly extra?: RecordOf;
}

/** A pair to export: labeled by a person, or made of a right and a wrong answer of a dataset. */
export interface PairItem {
  readonly pairId: string;
  readonly promptId: string;
  readonly prompt: string;
  readonly a: string;
  readonly b: string;
  readonly verdict: Verdict;
  readonly correctA: boolean | null;
  readonly correctB: boolean | null;
  readonly reference: string | null;
  /** Facts about the pair as a whole: its labeler, the rationale, columns that both answers share. */
  readonly about: RecordOf;
}

export type ExportItem = { readonly row: RowItem } | { readonly pair: PairItem };

/** Records of an item, or the reason why the format cannot hold it, in the plural: "ties". */
export type Written = readonly RecordOf[] | { readonly leftOut: string };

/** Kind of values of a column: `json` for lists, objects and mixed values. */
export type ColumnKind = 'text' | 'number' | 'flag' | 'json';
export type Columns = ReadonlyMap<string, ColumnKind>;

/** Records to bytes. */
export interface Encoding {
  /** Whether the columns must be known before the first record is written. */
  readonly isTable: boolean;
  encode(records: AsyncIterable<RecordOf>, columns: Columns): AsyncIterable<Uint8Array | string>;
  /** The reason why it cannot hold a record, in the plural; null if it can. */
  readonly cannotEncode?: (record: RecordOf) => string | null;
}

/** A format of exports. */
export interface Writer {
  readonly id: string;
  readonly title: string;
  readonly extension: string;
  /** The loss of each item, as one sentence. */
  readonly cannotHold: string;
  readonly encoding: Encoding;
  /** Takes the rows of a dataset; without it, the dataset's pairs are taken. */
  readonly fromRow?: (row: RowItem) => Written;
  readonly fromPair?: (pair: PairItem) => Written;
}
