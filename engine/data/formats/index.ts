import { extname } from 'node:path';
import { csv } from './csv.ts';
import { jsonArray } from './json-array.ts';
import { jsonLines } from './json-lines.ts';
import type { RecordReader } from './record.ts';

export interface Format {
  readonly title: string;
  /** Names that end so are read this way, whatever they hold. */
  readonly extensions: readonly string[];
  /** Whether text without a telling name looks like it; `head` is the beginning of the file without leading blanks. */
  readonly looksLike: (head: string) => boolean;
  readonly read: RecordReader;
}

/** Every format there is, the pickiest first. A new one is its file and one line here. */
const formats: readonly Format[] = [
  { title: 'JSON array', extensions: [], looksLike: (head) => head.startsWith('['), read: jsonArray },
  { title: 'JSON lines', extensions: ['.jsonl', '.ndjson'], looksLike: (head) => head.startsWith('{'), read: jsonLines },
  { title: 'CSV', extensions: ['.csv', '.tsv'], looksLike: (head) => /^[^\n]*[,;\t]/.test(head), read: csv },
];

/** How to read a file, by its name, else by how it begins; null where nothing fits. */
export const formatOf = (path: string, head: string): Format | null => {
  const extension = extname(path).toLowerCase();
  return formats.find((format) => format.extensions.includes(extension)) ?? formats.find((format) => format.looksLike(head)) ?? null;
};

export type { Found } from './record.ts';
