import { fromJson } from '../json.ts';
import type { Sliced } from '../slices.ts';
import type { Bits } from '../rows/bits.ts';
import { isDescription } from '../rows/findings.ts';
import { extraName } from '../rows/part.ts';
import { setsOf } from '../rows/sets.ts';
import type { Column } from '../rows/queried.ts';
import type { RowTable } from '../rows/table.ts';
import type { BuiltIn, TableColumn } from './columns.ts';

/** A cell as SQLite takes it: an integer is a bigint, since the driver hands every number over as a real. */
export type SqlCell = bigint | number | string | null;

type Extra = Readonly<Record<string, unknown>>;
type Field = 'prompt' | 'answer' | 'reference' | 'source' | 'extra';
type Stored = Readonly<Record<Field, string | null>>;

/** The row being read: its stored texts, and its extra cells, parsed when first used. */
interface Current {
  row: number;
  stored: Stored;
  extra: Extra | null;
}
interface Reader {
  /** The text of a stored row that it reads. */
  readonly needs?: Field;
  read(at: Current): SqlCell;
}

const noTexts: Stored = { prompt: null, answer: null, reference: null, source: null, extra: null };

/** Reads the rows of a table; the cells of columns that are not needed are null. */
export function* readCells(
  table: RowTable,
  columns: readonly TableColumn[],
  needed: ReadonlySet<number>,
): Sliced<() => Generator<SqlCell[]>> {
  const readers: { readonly at: number; readonly reader: Reader }[] = [];
  for (const at of needed) readers.push({ at, reader: yield* readerOf(table, columns[at]) });
  const fields = [...new Set(readers.flatMap(({ reader }) => reader.needs ?? []))];
  return function* rows() {
    const cells = columns.map((): SqlCell => null);
    for (const current of rowsIn(table, fields)) {
      for (const { at, reader } of readers) cells[at] = reader.read(current);
      yield cells;
    }
  };
}

/** The rows in order, each as the same object; without fields, no row is read from the file. */
function* rowsIn({ db, id, present }: RowTable, fields: readonly Field[]): Generator<Current> {
  const current: Current = { row: 0, stored: noTexts, extra: null };
  if (fields.length === 0) {
    for (current.row of present) yield current;
    return;
  }
  const rows = db.prepare<[string], Stored & { readonly row: number }>(
    `select row, ${fields.join(', ')} from dataset_rows where dataset_id = ? order by row`,
  );
  for (const stored of rows.iterate(id)) {
    [current.row, current.stored, current.extra] = [stored.row, stored, null];
    yield current;
  }
}

const readerOf = (table: RowTable, column: TableColumn): Sliced<Reader> =>
  column.kind === 'built-in' ? builtInReader(table, column.key) : extraReader(table, column.key);

function* builtInReader(table: RowTable, key: BuiltIn): Sliced<Reader> {
  switch (key) {
    case 'row':
      return { read: ({ row }) => BigInt(row) };
    case 'prompt':
    case 'answer':
      return { needs: key, read: ({ stored }) => stored[key] };
    case 'reference':
    case 'source': {
      const column = yield* table.column(key);
      // an empty one is none
      return column?.kind === 'category'
        ? categories(column)
        : { needs: key, read: ({ stored }) => cellOf(stored[key]) };
    }
    case 'line':
    case 'length':
    case 'promptlength': {
      const column = yield* table.column(key);
      return column?.kind === 'number' ? numbers(column.data) : { read: () => null };
    }
    case 'right':
      return marksReader(yield* table.column('mark'));
    case 'excluded':
      return member(table.marks.get('excluded'));
    case 'edited':
      return member(setsOf(table, 'edited'));
    case 'note':
      return noteReader(table);
    default:
      return namesReader(table, listed[key]);
  }
}

/** Prefixes of the marks that are listed. */
const listed = { tags: 'tag:', flags: 'flag:', splits: 'split:', findings: 'finding:' } as const;

function* extraReader(table: RowTable, key: string): Sliced<Reader> {
  const { computed } = table;
  const isComputed = computed.columns.some(({ name }) => name === key);
  // beyond the columns that a part keeps, only the rows have all cells
  const column = isComputed || !table.hasOthers ? yield* table.column(extraName(key)) : null;
  if (column?.kind === 'number') return numbers(column.data);
  if (column?.kind === 'category' && !column.values.some(isPerhapsJson)) return categories(column);
  if (isComputed) return { read: ({ row }) => cellOf(computed.cellsOf(row)?.[key]) };
  return {
    needs: 'extra',
    read: (current) => {
      if (current.stored.extra === null) return null;
      current.extra ??= fromJson<Extra>(current.stored.extra);
      return Object.hasOwn(current.extra, key) ? cellOf(current.extra[key]) : null;
    },
  };
}

/** A cell of the file; an empty one is null, as in the query bar. */
function cellOf(value: unknown): SqlCell {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  return typeof value === 'boolean' ? yesNo(value) : JSON.stringify(value);
}

const yesNo = (yes: boolean): SqlCell => (yes ? 1n : 0n);

/** Reads a column of numbers: as integers if all are whole, so that a division treats all rows alike. */
function numbers(data: Float64Array): Reader {
  const isWhole = data.every((value) => Number.isNaN(value) || Number.isSafeInteger(value));
  return {
    read: ({ row }) => (Number.isNaN(data[row]) ? null : isWhole ? BigInt(data[row]) : data[row]),
  };
}

/** True if a value of a category may be the text of a number, boolean or list. */
const isPerhapsJson = (value: string): boolean => /^(?:[[{\d-]|true$|false$)/.test(value);

const categories = ({ data, values }: Extract<Column, { kind: 'category' }>): Reader => ({
  read: ({ row }) => (data[row] === 0 ? null : values[data[row] - 1]),
});

function marksReader(marks: Column | null): Reader {
  if (marks?.kind !== 'category') return { read: () => null };
  const known = new Map<string, SqlCell>([
    ['right', 1n],
    ['wrong', 0n],
  ]);
  const verdicts = [null, ...marks.values.map((mark) => known.get(mark) ?? null)];
  return { read: ({ row }) => verdicts[marks.data[row]] };
}

const member = (bits: Bits | undefined): Reader => ({ read: ({ row }) => yesNo(bits?.has(row) ?? false) });

function noteReader({ db, number }: RowTable): Reader {
  const notes = new Map(
    db
      .prepare<[number], { row: number; note: string }>('select row, note from row_notes where number = ?')
      .all(number)
      .map(({ row, note }) => [row, note]),
  );
  return { read: ({ row }) => notes.get(row) ?? null };
}

/** Marks of one kind as a JSON list; null without any. */
function namesReader({ marks }: RowTable, kind: string): Reader {
  const sets = [...marks]
    .filter(([name]) => name.startsWith(kind))
    .map(([name, bits]) => ({ name: name.slice(kind.length), bits }))
    .filter(({ name }) => kind !== listed.findings || !isDescription(name));
  return {
    read: ({ row }) => {
      const names = sets.filter(({ bits }) => bits.has(row)).map(({ name }) => name);
      return names.length === 0 ? null : JSON.stringify(names);
    },
  };
}
