import type { Message } from '../../schema/conversation.ts';
import { kindOf } from '../formats/record.ts';

/** One answer to a prompt, read from a record. */
export interface ShapedRow {
  readonly prompt: string;
  readonly answer: string;
  readonly reference: string | null;
  readonly correct: boolean | null;
  /** Author of the answer, or its column. */
  readonly source: string;
  /** The whole conversation, if the row is one. */
  readonly messages?: Message[];
  /** Other values that belong to this row only, kept as extra. */
  readonly extra?: RecordOf;
}

export type RecordOf = Readonly<Record<string, unknown>>;

/** A layout of prompts and answers in records. */
export interface Shape {
  readonly title: string;
  /** Its required columns in words, for the error message. */
  readonly needs: string;
  /** True if a record has its columns; `rows` checks the values. */
  readonly matches: (record: RecordOf) => boolean;
  /** A sentence on the recognized columns. */
  readonly why: (fields: Fields) => string;
  /**
   * The answers of a record. Reading a column marks it as used; the others are kept as extra, so a shape
   * cannot lose a column. Throws `BadRecord` for a missing value or one of the wrong type.
   */
  readonly rows: (fields: Fields) => readonly ShapedRow[];
}

/** Error in one record; the message continues "Line 7 …". */
export class BadRecord extends Error {}

/** A pair without one of its answers: kept aside, though other bad records refuse the file. */
export class EmptyAnswer extends BadRecord {}

/** The text of a required, non-blank column. */
export const textOf = (record: RecordOf, column: string): string => {
  const value = record[column];
  if (value === undefined) throw new BadRecord(`has no "${column}" (it has ${columnsOf(record)})`);
  if (typeof value !== 'string')
    throw new BadRecord(`has ${kindOf(value)} in "${column}" where text is needed`);
  if (value.trim() === '') throw new BadRecord(`has nothing in "${column}"`);
  return value;
};

const yes = ['true', '1', '1.0', '+1', 'yes', 'y', 't', 'right', 'correct', 'good', 'chosen', 'desirable'];
const no = [
  'false',
  '0',
  '0.0',
  '-1',
  '-1.0',
  'no',
  'n',
  'f',
  'wrong',
  'incorrect',
  'bad',
  'rejected',
  'undesirable',
];

/** True if a value is empty: it is neither used nor kept. */
export const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';

/**
 * Right or wrong, if the value means one: true/false, 1/0, or such a word (CSV has only words); else
 * undefined.
 */
export const markIn = (value: unknown): boolean | undefined => {
  const word = typeof value === 'object' ? '' : String(value).trim().toLowerCase();
  return yes.includes(word) ? true : no.includes(word) ? false : undefined;
};

/** A mark, or null if there is none. Throws `BadRecord` for an invalid value. */
export const markOf = (record: RecordOf, column: string): boolean | null => {
  const value = record[column];
  if (isEmpty(value)) return null;
  const mark = markIn(value);
  if (mark !== undefined) return mark;
  const shown = typeof value === 'object' ? kindOf(value) : `"${String(value).slice(0, 40)}"`;
  throw new BadRecord(`has ${shown} in "${column}" where true or false is needed`);
};

/** The columns of a record, in words. */
export const columnsOf = (record: RecordOf): string => {
  const names = Object.keys(record).map((name) => `"${name}"`);
  if (names.length === 0) return 'no column';
  return names.length <= 12
    ? names.join(', ')
    : `${names.slice(0, 12).join(', ')} and ${names.length - 12} more`;
};

/**
 * A record while a shape reads it. It notes which columns were read, and their use; `rest` is everything
 * else.
 */
export class Fields {
  readonly record: RecordOf;
  /** Columns of the file that mark answers as right or wrong. */
  readonly #marks: readonly string[];
  readonly #uses = new Map<string, string>();
  readonly #aside = new Map<string, unknown>();

  constructor(record: RecordOf, marks: readonly string[] = []) {
    this.record = record;
    this.#marks = marks;
  }

  has(column: string): boolean {
    return column in this.record;
  }

  /** A column's value, unchecked. */
  value(column: string, as: string): unknown {
    this.#uses.set(column, as);
    return this.record[column];
  }

  text(column: string, as: string): string {
    this.value(column, as);
    return textOf(this.record, column);
  }

  /** The column that marks this record's answer, if it has one. */
  get markColumn(): string | undefined {
    return this.#marks.find((column) => this.has(column));
  }

  mark(): boolean | null {
    const column = this.markColumn;
    if (column === undefined) return null;
    this.value(column, 'right or wrong');
    return markOf(this.record, column);
  }

  /** Keeps a part of a column that was read as extra, under a name of its own. */
  keep(name: string, value: unknown): void {
    this.#aside.set(name, value);
  }

  get uses(): ReadonlyMap<string, string> {
    return this.#uses;
  }

  /** Non-empty columns that were not read: kept as extra on every row of the record. */
  rest(): RecordOf {
    const unread = Object.entries(this.record).filter(
      ([name, value]) => !this.#uses.has(name) && !isEmpty(value),
    );
    return Object.fromEntries([...unread, ...this.#aside]);
  }
}
