import { extname } from 'node:path';
import { csv } from './csv.ts';
import { jsonArray, jsonArrayInside } from './json-array.ts';
import { jsonLines } from './json-lines.ts';
import { jsonObject } from './json-object.ts';
import type { RecordReader } from './record.ts';

export interface Format {
  readonly title: string;
  /** File extensions that select this format, whatever the content. */
  readonly extensions: readonly string[];
  /**
   * True if text without a known extension looks like this format; `head` is the start of the file without
   * leading blanks.
   */
  readonly looksLike: (head: string) => boolean;
  readonly read: RecordReader;
}

/** True if an object is only a list of rows under a name that is not a column. */
const wrapped =
  /^\{\s*"(?:data|rows|examples|records|instances|items|train|test|validation)"\s*:\s*\[\s*[{\]]/;

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
};

/**
 * True if an object spans several lines: the first line is not complete, and the next does not begin another
 * object.
 */
const isSpread = (head: string): boolean => {
  const [first, next] = head
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return next !== undefined && !next.startsWith('{') && !isJson(first);
};

/** Every format, the most specific first. A new one is its file and one line here. */
const formats: readonly Format[] = [
  { title: 'JSON array', extensions: [], looksLike: (head) => head.startsWith('['), read: jsonArray },
  {
    title: 'JSON array in an object',
    extensions: [],
    looksLike: (head) => wrapped.test(head),
    read: jsonArrayInside,
  },
  {
    title: 'JSON object',
    extensions: [],
    looksLike: (head) => head.startsWith('{') && isSpread(head),
    read: jsonObject,
  },
  {
    title: 'JSON lines',
    extensions: ['.jsonl', '.ndjson'],
    looksLike: (head) => head.startsWith('{'),
    read: jsonLines,
  },
  { title: 'CSV', extensions: ['.csv', '.tsv'], looksLike: (head) => /^[^\n]*[,;\t]/.test(head), read: csv },
];

/**
 * The reader for a file, by its name, else by its start; null if nothing fits. A list of objects is
 * recognized under any name.
 */
export const formatOf = (path: string, head: string): Format | null => {
  if (/^\[\s*\{/.test(head)) return formats[0];
  const extension = extname(path).toLowerCase();
  return (
    formats.find((format) => format.extensions.includes(extension)) ??
    formats.find((format) => format.looksLike(head)) ??
    null
  );
};

export type { Broken, ParsedRecord as Found } from './record.ts';
