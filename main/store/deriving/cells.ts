import { WhetstoneError } from '../../../engine/common/errors.ts';
import { fromJson } from '../json.ts';
import type { StoredRow } from '../dataset-row.ts';
import { cellText } from '../rows/part.ts';

const marks = ['wrong', 'right'] as const;

/** Built-in columns, as a query names them. */
const builtIn: Readonly<Record<string, (row: StoredRow) => string | null>> = {
  prompt: ({ prompt }) => prompt,
  answer: ({ answer }) => answer,
  reference: ({ reference }) => reference,
  source: ({ source }) => source,
  mark: ({ correct }) => (correct === null ? null : marks[correct]),
  length: ({ answer }) => String(answer.length),
  promptlength: ({ prompt }) => String(prompt.length),
  line: ({ line }) => String(line),
};

const prefix = 'extra.';

/** An extra cell: of the column of this name, or else of one that differs in case only. */
function extraCell({ extra }: StoredRow, column: string): unknown {
  if (extra === null) return null;
  const all = fromJson<Record<string, unknown>>(extra);
  if (Object.hasOwn(all, column)) return all[column];
  const lower = column.toLowerCase();
  const other = Object.keys(all).find((name) => name.toLowerCase() === lower);
  return other === undefined ? null : all[other];
}

/** A function that reads a column of a row as text; null where a row has no value. */
export function cellOf(column: string): (row: StoredRow) => string | null {
  const lower = column.toLowerCase();
  if (Object.hasOwn(builtIn, lower)) return (row) => builtIn[lower](row) || null;
  const own = lower.startsWith(prefix) ? column.slice(prefix.length) : column;
  return (row) => {
    const value = extraCell(row, own);
    return value === null || value === undefined || value === '' ? null : cellText(value);
  };
}

const mostNamed = 20;

/** The error for a column that does not exist, or in which no row has a value; `extras`: those of the file. */
export const emptyColumn = (column: string, extras: readonly string[]): WhetstoneError => {
  const known = [...Object.keys(builtIn), ...extras];
  const lower = column.toLowerCase();
  if (known.some((name) => name.toLowerCase() === lower || `${prefix}${name}`.toLowerCase() === lower))
    return new WhetstoneError('invalid-input', `No row has a value in the column '${column}'.`, {
      where: column,
      hint: 'The facets of the dataset list its columns.',
    });
  return new WhetstoneError('invalid-input', `There is no column '${column}'.`, {
    where: column,
    hint: `There are: ${namesOf([...extras, ...Object.keys(builtIn)])}.`,
  });
};

/** Throws `invalid-input` for a column to keep that no row has. */
export function refuseUnknown(columns: readonly string[], extras: readonly string[]): void {
  const unknown = columns.find((column) => !extras.includes(column));
  if (unknown === undefined) return;
  throw new WhetstoneError('invalid-input', `There is no column '${unknown}' to keep.`, {
    where: unknown,
    hint: extras.length === 0 ? 'The rows have no extra columns.' : `There are: ${namesOf(extras)}.`,
  });
}

const namesOf = (names: readonly string[]): string =>
  names.length > mostNamed
    ? `${names.slice(0, mostNamed).join(', ')} and ${names.length - mostNamed} more`
    : names.join(', ');
