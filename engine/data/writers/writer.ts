import type { Message } from '../../schema/conversation.ts';
import type { Span } from '../../schema/labeling/index.ts';
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

/** A single answer with a person's judgement of it. */
export interface AnswerItem {
  readonly itemId: string;
  readonly promptId: string;
  readonly prompt: string;
  readonly answer: string;
  readonly judged: JudgedSteps | MarkedSpans;
  readonly reference: string | null;
  /** Facts about the label: its labeler, time and rationale. */
  readonly about: RecordOf;
}

/** True if an answer is correct, and its first wrong step, from 0; null if it is not said. */
export interface JudgedSteps {
  readonly kind: 'correctness';
  readonly correct: boolean;
  readonly firstWrong: number | null;
  readonly steps: readonly string[];
  readonly separator: string;
}

/** Parts of an answer with labels; offsets in UTF-16 code units. */
export interface MarkedSpans {
  readonly kind: 'spans';
  readonly spans: readonly Span[];
}

/** The modes of labeling whose decisions are written as answers. */
export type AnswerMode = AnswerItem['judged']['kind'];

export type ExportItem =
  { readonly row: RowItem } | { readonly pair: PairItem } | { readonly answer: AnswerItem };

/** Records of an item, or the reason why the format cannot hold it, in the plural: "ties". */
export type Written = readonly RecordOf[] | { readonly leftOut: string };

/** Kind of values of a column: `json` for lists, objects and mixed values. */
export type ColumnKind = 'text' | 'number' | 'flag' | 'json';
export type Columns = ReadonlyMap<string, ColumnKind>;

/** Records to bytes. */
export interface Encoding {
  /** True if the columns must be known before the first record is written. */
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
  /** Takes single answers of label sets in some modes; a set in another mode gives pairs. */
  readonly fromAnswer?: {
    readonly modes: readonly AnswerMode[];
    readonly write: (answer: AnswerItem) => Written;
  };
}
