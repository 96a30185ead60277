import { saveFile } from '../../lib/download.ts';

const cell = (value: string | number | null | undefined): string => {
  const text = value === null || value === undefined ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Rows as comma-separated values, in full precision; nothing for null. */
export const tableCsv = (
  head: readonly string[],
  rows: readonly (readonly (string | number | null | undefined)[])[],
): string => [head, ...rows].map((row) => row.map(cell).join(',')).join('\n');

/** Offers a table as a CSV file. */
export const saveTable = (name: string, ...table: Parameters<typeof tableCsv>): void =>
  saveFile(`${name}.csv`, new Blob([tableCsv(...table)], { type: 'text/csv' }));
