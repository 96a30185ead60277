import type { Facet, QueryRow } from '../../../preload/contract/rows.ts';

/** A column of the table of rows. */
export interface ShownColumn {
  readonly id: string;
  readonly title: string;
  /** CSS width in the grid. */
  readonly width: string;
  readonly kind: 'number' | 'text' | 'small';
  readonly text: (row: QueryRow) => string;
}

const titles: Readonly<Record<string, string>> = {
  promptlength: 'prompt length',
  tag: 'tags',
  flag: 'flags',
  split: 'split',
};
export const columnTitle = (column: string): string => titles[column] ?? column;

const lengthOf = (text: string): string => String(text.length);
const marks = (of: readonly string[]): string => of.join(', ');
const builtIn: readonly ShownColumn[] = [
  { id: 'line', title: 'line', width: '48px', kind: 'number', text: (row) => String(row.line || '') },
  { id: 'prompt', title: 'prompt', width: 'minmax(90px, 1fr)', kind: 'text', text: (row) => row.prompt },
  { id: 'answer', title: 'answer', width: 'minmax(90px, 1fr)', kind: 'text', text: (row) => row.answer },
  {
    id: 'reference',
    title: 'reference',
    width: 'minmax(60px, 140px)',
    kind: 'small',
    text: (row) => row.reference ?? '',
  },
  { id: 'source', title: 'source', width: 'minmax(60px, 110px)', kind: 'small', text: (row) => row.source },
  { id: 'length', title: 'length', width: '56px', kind: 'number', text: (row) => lengthOf(row.answer) },
  {
    id: 'promptlength',
    title: 'prompt length',
    width: '84px',
    kind: 'number',
    text: (row) => lengthOf(row.prompt),
  },
  { id: 'tag', title: 'tags', width: 'minmax(50px, 110px)', kind: 'small', text: (row) => marks(row.tags) },
  { id: 'flag', title: 'flags', width: 'minmax(50px, 90px)', kind: 'small', text: (row) => marks(row.flags) },
  {
    id: 'split',
    title: 'split',
    width: 'minmax(50px, 90px)',
    kind: 'small',
    text: (row) => marks(row.splits) || splitOf(row),
  },
  {
    id: 'finding',
    title: 'findings',
    width: 'minmax(60px, 140px)',
    kind: 'small',
    text: (row) => marks(row.findings ?? []),
  },
  { id: 'note', title: 'note', width: 'minmax(60px, 140px)', kind: 'small', text: (row) => row.note ?? '' },
];

/** The least width of a grid of these columns with two narrow ones before, in pixels. */
export const leastWidth = (columns: readonly ShownColumn[]): number =>
  columns.reduce((sum, { width }) => sum + Number(/\d+/.exec(width)?.[0] ?? 0) + 8, 2 * (14 + 8) + 34);

/** Columns shown unless others are chosen. */
export const usualColumns: readonly string[] = ['line', 'prompt', 'answer', 'source'];

/** Columns whose texts are too long to sort by. */
const unsorted = new Set(['prompt', 'answer']);
export const isSorted = (id: string): boolean => !unsorted.has(id);

/** True if a column is from the file, beyond the built-in ones. */
export const isExtra = ({ id }: ShownColumn): boolean => !builtIn.some((column) => column.id === id);

/** Columns of the file among the facets, as queries name them. */
export const extrasIn = (facets: readonly Facet[] | null | undefined): readonly string[] =>
  (facets ?? [])
    .map(({ column }) => column)
    .filter((column) => column !== 'mark' && !builtIn.some(({ id }) => id === column));

/** Every column that can be shown: built-in ones, then those of the file. */
export function columnsFor(
  facets: readonly Facet[] | null,
  chosen: readonly string[],
): readonly ShownColumn[] {
  const known = new Set([...builtIn.map(({ id }) => id), 'mark']);
  const kinds = new Map((facets ?? []).map(({ column, kind }) => [column, kind]));
  const extras = [...new Set([...kinds.keys(), ...chosen])].filter((column) => !known.has(column));
  return [
    ...builtIn,
    ...extras.map((id): ShownColumn => {
      const isNumber = kinds.get(id) === 'numbers';
      return {
        id,
        title: id,
        width: isNumber ? 'minmax(56px, 80px)' : 'minmax(60px, 120px)',
        kind: isNumber ? 'number' : 'small',
        text: (row) => extraText(row, id),
      };
    }),
  ];
}

/** The text of a row's cell in a column of the file, named as in a query (`level`, `extra.length`). */
const extraText = ({ extra }: QueryRow, id: string): string => cellText(extra?.[id.replace(/^extra\./, '')]);

/** The split that the file gives a row. */
const splitOf = ({ extra = {} }: QueryRow): string =>
  cellText(extra[Object.keys(extra).find((name) => name.toLowerCase() === 'split') ?? 'split']);

const cellText = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
