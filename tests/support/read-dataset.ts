import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  readDataset,
  type DataRow,
  type Findings,
  type ReadOptions,
  type RejectedLine,
} from '../../engine/data/index.ts';
import { temporaryFolder } from './folder.ts';

/** All events of reading a file: `bytes` are the shares of the file read. */
export interface Whole {
  rows: DataRow[];
  rejected: RejectedLine[];
  doctor: Findings;
  hash: string;
  bytes: number[];
}

/** Reads a file to its end. */
export const readAll = async (path: string, options?: ReadOptions): Promise<Whole> => {
  const whole: Omit<Whole, 'doctor' | 'hash'> = { rows: [], rejected: [], bytes: [] };
  for await (const event of readDataset(path, options)) {
    if (event.state === 'done') return { ...whole, doctor: event.doctor, hash: event.hash };
    whole.rows.push(...event.rows);
    whole.rejected.push(...event.rejected);
    whole.bytes.push(event.bytes / event.totalBytes);
  }
  throw new Error('the reader ended without saying what it found');
};

/** The path of a new file that is removed when the test ends. */
export const fileWith = (name: string, content: string | Uint8Array): string => {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, content);
  return path;
};

/** Reads a new file with this content. */
export const readText = async (
  name: string,
  content: string | Uint8Array,
  keepGoodLines = false,
): Promise<Whole> => readAll(fileWith(name, content), { keepGoodLines });

export const jsonLines = (...records: readonly unknown[]): string =>
  records.map((record) => JSON.stringify(record)).join('\n');

/** Reads records as JSON lines. */
export const readRecords = (...records: readonly unknown[]): Promise<Whole> =>
  readText('a.jsonl', jsonLines(...records));

/** The reader's use of a column. */
export const useOf = ({ doctor }: Whole, name: string) =>
  doctor.columns.find((column) => column.name === name);

/** Valid row number `i` of a file. */
export const goodRow = (i: number) => ({
  prompt: `What is ${i}?`,
  answer: `It is ${i}.`,
  correct: i % 2 === 0,
});
