import type { Message } from '../../schema/conversation.ts';
import { kindOf } from '../formats/record.ts';

/** One answer to one prompt, as a record gives it. */
export interface ShapedRow {
  readonly prompt: string;
  readonly answer: string;
  readonly reference: string | null;
  readonly correct: boolean | null;
  /** Who wrote the answer, or which column it stood in. */
  readonly source: string;
  /** The whole conversation, where the row is one. */
  readonly messages?: Message[];
}

export type RecordOf = Readonly<Record<string, unknown>>;

/** One way in which files lay out prompts and answers. */
export interface Shape {
  readonly title: string;
  /** Columns that it needs, in words; shown where no shape fits. */
  readonly needs: string;
  /** Whether a record's columns are laid out so; values are judged by `rows`. */
  readonly matches: (record: RecordOf) => boolean;
  /** What was recognised, in a sentence that names the columns. */
  readonly why: (record: RecordOf) => string;
  /** The answers of a record. Throws `BadRecord` where a value is missing or of the wrong type. */
  readonly rows: (record: RecordOf) => readonly ShapedRow[];
}

/** What is wrong with one record: goes on with "Line 7 …". */
export class BadRecord extends Error {}

/** The text of a column that must be there and must not be blank. */
export const textOf = (record: RecordOf, column: string): string => {
  const value = record[column];
  if (value === undefined) throw new BadRecord(`has no "${column}" (it has ${columnsOf(record)})`);
  if (typeof value !== 'string') throw new BadRecord(`has ${kindOf(value)} in "${column}" where text is needed`);
  if (value.trim() === '') throw new BadRecord(`has nothing in "${column}"`);
  return value;
};

const yes = ['true', '1', '1.0', 'yes', 'right', 'correct'];
const no = ['false', '0', '0.0', 'no', 'wrong', 'incorrect'];

/** A mark, or null where there is none: true/false, 1/0, or such a word (CSV knows words only). */
export const markOf = (record: RecordOf, column: string): boolean | null => {
  const value = record[column];
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'object') {
    const word = String(value).trim().toLowerCase();
    if (yes.includes(word)) return true;
    if (no.includes(word)) return false;
  }
  throw new BadRecord(`has ${typeof value === 'object' ? kindOf(value) : `"${String(value).slice(0, 40)}"`} in "${column}" where true or false is needed`);
};

/** The columns of a record, in words. */
export const columnsOf = (record: RecordOf): string => {
  const names = Object.keys(record).map((name) => `"${name}"`);
  return names.length === 0 ? 'no column' : names.length <= 12 ? names.join(', ') : `${names.slice(0, 12).join(', ')} and ${names.length - 12} more`;
};
