import type { SqlColumn, SqlResult, SqlValue } from '../../../../preload/contract/sql.ts';

/** Statements to begin with, which run on a dataset of these columns. */
export function examplesFor(columns: readonly SqlColumn[]): string[] {
  const extra = columns.find(({ kind }) => kind === 'extra');
  return [
    'select source, right, count(*) as n, avg(length) as mean_length\nfrom rows group by source, right order by n desc',
    'select row, length, prompt, answer\nfrom rows order by length desc limit 20',
    extra
      ? `select ${extra.written}, count(*) as n, avg(right) as share_right\nfrom rows group by ${extra.written} order by n desc limit 50`
      : 'select prompt, count(*) as answers, sum(right) as right_ones\nfrom rows group by prompt order by answers desc limit 50',
  ];
}

/** Most characters of a query that an address and the services take. */
const longestQuery = 4000;
/** Excluded rows are shown, too. */
const ofAll = ' (is:included OR is:excluded)';

/**
 * A query of the rows that a result names in its column `row`, with how many of them it shows: a query has a
 * greatest length. Null for a result without that column or without rows.
 */
export function rowsOf({ columns, rows }: SqlResult): { query: string; shown: number; total: number } | null {
  const at = columns.findIndex((name) => name.toLowerCase() === 'row');
  if (at < 0) return null;
  const named = rows.map((cells) => cells[at]).filter((cell) => typeof cell === 'number');
  const numbers = [...new Set(named)]
    .filter((row) => Number.isInteger(row) && row >= 0)
    .sort((a, b) => a - b);
  if (numbers.length === 0) return null;
  let [terms, shown] = ['', 0];
  for (const [from, to] of rangesOf(numbers)) {
    const term = from === to ? `row=${from}` : `row:${from}..${to}`;
    const longer = terms === '' ? term : `${terms} OR ${term}`;
    if (longer.length + ofAll.length + 2 > longestQuery) break;
    [terms, shown] = [longer, shown + to - from + 1];
  }
  return { query: `(${terms})${ofAll}`, shown, total: numbers.length };
}

/** The first and last number of each sequence without a gap. */
function rangesOf(numbers: readonly number[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

const quoted = (value: SqlValue): string => {
  const text = value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** A result as CSV (RFC 4180); null is an empty cell. */
export const csvOf = ({ columns, rows }: SqlResult): string =>
  [columns, ...rows].map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('');

/** True if each column holds numbers only, besides nulls. */
export const numericOf = ({ columns, rows }: SqlResult): boolean[] =>
  columns.map((_name, at) => {
    const cells = rows.map((row) => row[at]).filter((cell) => cell !== null);
    return cells.length > 0 && cells.every((cell) => typeof cell === 'number');
  });

/** A text with another one in place of the selected part, with blanks where words would touch. */
export function inserted(
  text: string,
  from: number,
  to: number,
  name: string,
): { text: string; caret: number } {
  const before = text.slice(0, from);
  const after = text.slice(to);
  const word = (/[\w")\]]$/.test(before) ? ' ' : '') + name + (/^[\w"([]/.test(after) ? ' ' : '');
  return { text: before + word + after, caret: before.length + word.length };
}
