import { csv } from './encodings/csv.ts';
import { gzipJsonLines, jsonLines } from './encodings/json.ts';
import { parquet } from './encodings/parquet.ts';
import type { AnswerItem, PairItem, RecordOf, RowItem, Writer } from './writer.ts';

const core = ({ row, prompt, answer, reference, correct, source, messages }: RowItem): RecordOf => ({
  row,
  prompt,
  answer,
  reference,
  correct,
  source,
  ...(messages && { messages }),
});

/** A row with its further columns inside `extra`. */
const nested = (row: RowItem): readonly RecordOf[] => [
  { ...core(row), ...(row.extra && { extra: row.extra }) },
];

/** A row with its further columns as columns of their own. */
const flat = (row: RowItem): readonly RecordOf[] => [
  {
    ...core(row),
    ...Object.fromEntries(Object.entries(row.extra ?? {}).map(([name, value]) => [`extra.${name}`, value])),
  },
];

const label = ({ about, reference, ...pair }: PairItem): readonly RecordOf[] => [
  { ...pair, ...(reference !== null && { reference }), ...about },
];

/** A judged answer. Steps and spans are lists; their offsets count UTF-16 code units of `answer`. */
const judged = ({
  judged: { kind, ...value },
  about,
  reference,
  ...item
}: AnswerItem): readonly RecordOf[] => [
  { ...item, mode: kind, ...value, ...(reference !== null && { reference }), ...about },
];
const answers = { modes: ['correctness', 'spans'], write: judged } as const;

const rows = { fromRow: nested, fromPair: label, fromAnswer: answers };
const table = { fromRow: flat, fromPair: label, fromAnswer: answers };

/** Whetstone's own rows and labels. */
export const ownLines: Writer = {
  id: 'jsonl',
  title: 'JSON lines, all columns',
  extension: '.jsonl',
  cannotHold: 'Nothing is left out.',
  encoding: jsonLines,
  ...rows,
};

export const ownPacked: Writer = {
  ...ownLines,
  id: 'jsonl-gz',
  title: 'JSON lines in gzip, all columns',
  extension: '.jsonl.gz',
  encoding: gzipJsonLines,
};

export const ownCsv: Writer = {
  id: 'csv',
  title: 'CSV, all columns',
  extension: '.csv',
  cannotHold: 'Other columns become text: a number, true or a list is read back as its text.',
  encoding: csv,
  ...table,
};

export const ownParquet: Writer = {
  id: 'parquet',
  title: 'Parquet, all columns',
  extension: '.parquet',
  cannotHold: 'A column of mixed values becomes JSON.',
  encoding: parquet,
  ...table,
};
