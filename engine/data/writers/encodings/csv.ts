import type { Encoding } from '../writer.ts';
import { isWellFormed } from './table.ts';

const cell = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text === '' || /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

const CHUNK = 65_536;

/** Comma-separated values with a header line, in UTF-8; values that are not text are JSON. */
export const csv: Encoding = {
  isTable: true,
  async *encode(records, columns) {
    const names = [...columns.keys()];
    let waiting = `${names.map(cell).join(',')}\n`;
    for await (const record of records) {
      waiting += `${names.map((name) => cell(record[name])).join(',')}\n`;
      if (waiting.length < CHUNK) continue;
      yield waiting;
      waiting = '';
    }
    yield waiting;
  },
  cannotEncode: (record) => {
    const hasZero = Object.values(record).some(
      (value) => typeof value === 'string' && value.includes('\u0000'),
    );
    return hasZero
      ? 'records with a zero byte'
      : isWellFormed(record)
        ? null
        : 'records with halves of characters';
  },
};
