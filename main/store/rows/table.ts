import { builtInColumns, queryError } from '../../../preload/wire/query.ts';
import type { SearchWord } from '../../../preload/wire/row-search.ts';
import { filledParts, readCells } from './computed-cells.ts';
import { heldColumns, type HeldColumn } from './computed.ts';
import { ComputedReader } from './computed-reader.ts';
import type { Db } from '../database.ts';
import { examinationOf, findingMarks } from './findings.ts';
import type { Sliced } from '../slices.ts';
import { Bits } from './bits.ts';
import { readPart, sizeOf } from './fill.ts';
import { marksOf } from './marks.ts';
import type { Column, Found, Queried, RowTexts } from './queried.ts';
import { noteRows, setsOf } from './sets.ts';
import { foundWord, textsOf } from './texts.ts';
import {
  columnFrom,
  extraName,
  joinedTexts,
  otherColumns,
  partColumn,
  partOf,
  partRows,
  type PartColumn,
} from './part.ts';

/** Names that mean something else in a query than a column from the file. */
const reserved: ReadonlySet<string> = new Set([...Object.keys(builtInColumns), 'is', 'has', 'excluded']);

/** Most different values of a column whose values are counted. */
const mostValues = 60_000;

type Parts = ReadonlyMap<string, PartColumn>;
interface PartState {
  readonly generation: number;
  readonly isFilled: boolean;
}

type OwnParts = Map<number, { readonly generation: number; readonly columns: Parts }>;

/** Stamp of the rows and marks that a table shows: equal stamps have equal rows and marks. */
interface Snapshot {
  readonly db: Db;
  readonly id: string;
  readonly number: number;
  readonly size: number;
  readonly parts: readonly PartState[];
  /** Changes with the rows. */
  readonly rowsStamp: string;
  /** Changes with the rows or their marks. */
  readonly stamp: string;
}

/** The columns of one dataset in memory at one time, loaded when first used. */
export class RowTable implements Queried {
  readonly db: Db;
  readonly id: string;
  readonly number: number;
  readonly size: number;
  readonly stamp: string;
  readonly rowsStamp: string;
  /** The rows that exist: a number is left out where a row was removed. */
  present: Bits;
  /** Excluded rows, tags, flags and splits, by name (`excluded`, `tag:dup`). */
  readonly marks: ReadonlyMap<string, Bits>;
  /** The computed columns that hold. */
  readonly computed: ComputedReader;
  /** Results that hold for this table. */
  readonly cache = new Map<string, unknown>();
  readonly #parts: readonly PartState[];
  #columns = new Map<string, Column>();
  #names: readonly string[] = [];
  /** Parts that are not filled yet, read from the rows. */
  readonly #own: OwnParts;

  constructor({ db, id, number, size, parts, rowsStamp, stamp }: Snapshot, before: RowTable | null) {
    this.db = db;
    this.id = id;
    this.number = number;
    this.size = size;
    this.stamp = stamp;
    this.rowsStamp = rowsStamp;
    this.#parts = parts;
    this.present = new Bits(size);
    this.marks = new Map([...marksOf(db, number, size), ...findingMarks(db, id, size)]);
    this.computed = new ComputedReader(db, heldColumns(db, id));
    this.#own = before ? before.#own : new Map();
    if (before?.rowsStamp !== rowsStamp) return;
    this.#columns = before.#columns;
    this.#names = before.#names;
    this.present = before.present;
  }

  /** Reads what is not filled yet. */
  *load(): Sliced<void> {
    if (this.#names.length > 0) return;
    yield* this.#readMissing();
    this.#names = this.#allNames();
    const length = yield* this.column('length');
    if (length?.kind !== 'number') return;
    for (let row = 0; row < this.size; row += 1) if (!Number.isNaN(length.data[row])) this.present.add(row);
  }

  /** The columns from the file that are not built in, by their own names. */
  get extras(): readonly string[] {
    const own = this.#names
      .filter((name) => name.startsWith(extraName('')))
      .map((name) => name.slice(extraName('').length));
    return [...new Set([...own, ...this.computed.columns.map(({ name }) => name)])];
  }

  /**
   * True if a name in a query means a set of marks. A file's column `split` comes before the marks, as long as
   * the dataset has no splits of its own.
   */
  isSet(column: string): boolean {
    const lower = column.toLowerCase();
    return lower === 'split' ? this.#splitColumn === undefined : ['tag', 'flag', 'finding'].includes(lower);
  }

  /** The name by which a query means a column from the file: longer if the usual name means another one. */
  queryName(extra: string): string {
    const lower = extra.toLowerCase();
    const isTaken = reserved.has(lower) && extra !== this.#splitColumn;
    return isTaken || lower.startsWith(extraName('')) ? extraName(extra) : extra;
  }

  get #splitColumn(): string | undefined {
    const hasSplits = this.marks.keys().some((name) => name.startsWith('split:'));
    return hasSplits ? undefined : this.#extraNamed('split');
  }

  #extraNamed(name: string): string | undefined {
    const lower = name.toLowerCase();
    return (
      this.extras.find((each) => each === name) ?? this.extras.find((each) => each.toLowerCase() === lower)
    );
  }

  /** True if a row has a cell in the column of this stored name. */
  has(name: string): boolean {
    return this.#names.includes(name) || this.computed.columns.some((held) => extraName(held.name) === name);
  }

  /** True if a part has more columns than are kept: those are found by reading rows. */
  get hasOthers(): boolean {
    return this.#names.includes(otherColumns);
  }

  /**
   * The stored name of the column that a query means: built-in first, then the extra ones, in any case.
   * Throws `invalid-input` with the term.
   */
  nameOf(column: string, term: string): string {
    const lower = column.toLowerCase();
    if (this.#names.includes(lower) && !lower.startsWith(extraName(''))) return lower;
    const own = lower.startsWith(extraName('')) ? column.slice(extraName('').length) : column;
    const extra = this.#extraNamed(own);
    if (extra !== undefined) return extraName(extra);
    if (this.hasOthers) return extraName(own);
    const extras = this.extras.map((name) => this.queryName(name));
    const known = ['source', 'length', 'tag', ...extras].slice(0, 12).join(', ');
    throw queryError(
      term,
      `There is no column '${column}'.`,
      `There are: ${known}. To search for this text, put it in quotes.`,
    );
  }

  set(name: string): Bits {
    return setsOf(this, name);
  }

  notes(text: string, whole: boolean): Bits {
    return noteRows(this, text, whole);
  }

  word(word: SearchWord, quick: boolean): Found {
    return foundWord(this, word, quick);
  }

  texts(rows: readonly number[]): RowTexts[] {
    return textsOf(this, rows);
  }

  /** A column by its stored name; null if no row has it. */
  *column(name: string): Sliced<Column | null> {
    const held = this.computed.columns.find((each) => extraName(each.name) === name);
    // a column computed anew has other cells under its name
    const key = held ? `computed/${held.event}/${held.at}` : name;
    const known = this.#columns.get(key);
    if (known) return known;
    const parts = held ? yield* this.#computedParts(held) : yield* this.#partsOf(name);
    const merged = this.#merge(parts);
    if (merged) this.#columns.set(key, merged);
    return merged;
  }

  /** Reads the rows of the parts that are not filled yet. */
  *#readMissing(): Sliced<void> {
    for (const [part, { generation, isFilled }] of this.#parts.entries()) {
      if (isFilled) this.#own.delete(part);
      else if (this.#own.get(part)?.generation !== generation)
        this.#own.set(part, { generation, columns: yield* readPart(this.db, this.id, part) });
    }
  }

  #allNames(): string[] {
    const stored = this.db
      .prepare<[number], string>('select distinct name from row_columns where number = ?')
      .pluck()
      .all(this.number);
    return [
      ...new Set([...stored, ...[...this.#own.values()].flatMap(({ columns }) => [...columns.keys()])]),
    ];
  }

  /** The parts of a column that have cells in it. */
  *#partsOf(name: string): Sliced<Map<number, PartColumn>> {
    const read = this.db.prepare<[number, string, number], { kind: PartColumn['kind']; data: Buffer }>(
      'select kind, data from row_columns where number = ? and name = ? and part = ?',
    );
    const parts = new Map<number, PartColumn>();
    for (const part of this.#parts.keys()) {
      const own = this.#own.get(part);
      const stored = own ? undefined : read.get(this.number, name, part);
      const column = own ? own.columns.get(name) : stored && columnFrom(stored.kind, stored.data);
      if (column) parts.set(part, column);
      if (part % 8 === 7) yield;
    }
    return parts;
  }

  *#computedParts(held: HeldColumn): Sliced<Map<number, PartColumn>> {
    const parts = new Map<number, PartColumn>();
    for (const part of filledParts(this.db, held.event)) {
      const cells = readCells(this.db, held, part);
      if (cells) parts.set(part, partColumn(cells));
      yield;
    }
    return parts;
  }

  #merge(parts: ReadonlyMap<number, PartColumn>): Column | null {
    const kinds = new Set([...parts.values()].map(({ kind }) => kind));
    if (kinds.size === 0) return null;
    if (kinds.size === 1 && kinds.has('number')) return this.#numbers(parts);
    return (kinds.has('text') ? null : this.#categories(parts)) ?? this.#texts(parts);
  }

  #numbers(parts: ReadonlyMap<number, PartColumn>): Column {
    const data = new Float64Array(this.size).fill(Number.NaN);
    for (const [part, column] of parts)
      data.set(column.data.subarray(0, this.#lengthOf(part)), part * partRows);
    return { kind: 'number', data };
  }

  /** Null if the column has too many values to count. */
  #categories(parts: ReadonlyMap<number, PartColumn>): Column | null {
    const data = new Uint16Array(this.size);
    const codes = new Map<string, number>();
    const codeOf = (value: string): number => {
      const code = codes.get(value) ?? codes.size + 1;
      codes.set(value, code);
      return code;
    };
    for (const [part, column] of parts) {
      const own = column.kind === 'category' ? Uint16Array.of(0, ...column.values.map(codeOf)) : null;
      const length = this.#lengthOf(part);
      for (let i = 0; i < length; i += 1) {
        const cell = column.data[i];
        data[part * partRows + i] = own ? own[cell] : Number.isNaN(cell) ? 0 : codeOf(JSON.stringify(cell));
      }
      if (codes.size > mostValues) return null;
    }
    return { kind: 'category', data, values: [...codes.keys()] };
  }

  #texts(parts: ReadonlyMap<number, PartColumn>): Column {
    const data = new Uint8Array(this.size);
    for (const [part, column] of parts)
      for (let i = 0; i < this.#lengthOf(part); i += 1)
        data[part * partRows + i] = Number(
          column.kind === 'number' ? !Number.isNaN(column.data[i]) : column.data[i] > 0,
        );
    const texts = new Map([...parts].flatMap(([part, column]) => textsOfPart(part, column)));
    return { kind: 'text', data, texts: texts.size === parts.size ? texts : null };
  }

  #lengthOf(part: number): number {
    return Math.min(partRows, this.size - part * partRows);
  }
}

/** The texts of a part; none if they are long. */
function textsOfPart(part: number, column: PartColumn): [number, string][] {
  if (column.kind === 'text') return column.texts === null ? [] : [[part, column.texts]];
  const values = column.kind === 'category' ? ['', ...column.values] : null;
  const texts = Array.from(column.data, (cell) =>
    values ? values[cell] : Number.isNaN(cell) ? '' : JSON.stringify(cell),
  );
  return [[part, joinedTexts(texts)]];
}

function snapshotOf(db: Db, id: string, number: number): Snapshot {
  const size = sizeOf(db, id);
  const stored = new Map(
    db
      .prepare<[number], { part: number; generation: number; filled: number }>(
        'select part, generation, filled from row_parts where number = ?',
      )
      .all(number)
      .map((each) => [each.part, each]),
  );
  const parts = Array.from({ length: size === 0 ? 0 : partOf(size - 1) + 1 }, (_none, part) => {
    const { generation = 0, filled = -1 } = stored.get(part) ?? {};
    return { generation, isFilled: generation === filled };
  });
  const events = db
    .prepare<[string], string | null>(
      "select max(sequence) || '.' || sum(visible) from curation_events where dataset_id = ?",
    )
    .pluck()
    .get(id);
  const rowsStamp = `${size}/${parts.reduce((sum, { generation }) => sum + generation, 0)}`;
  return {
    db,
    id,
    number,
    size,
    parts,
    rowsStamp,
    stamp: `${rowsStamp}/${events ?? 0}/${examinationOf(db, id)}`,
  };
}

/** Most datasets whose columns stay in memory. */
const mostTables = 2;
const tables = new WeakMap<Db, Map<string, RowTable>>();
/** Datasets whose rows are being read: other calls wait for them. */
const loading = new Set<string>();

/** The columns of a dataset as it is now. Null if there is no such dataset. */
export function* tableOf(db: Db, id: string): Sliced<RowTable | null> {
  const open = tables.get(db) ?? new Map<string, RowTable>();
  tables.set(db, open);
  while (loading.has(id)) yield;
  const number = db
    .prepare<[string], number>('select number from dataset_numbers where dataset_id = ?')
    .pluck()
    .get(id);
  if (number === undefined) return null;
  const known = open.get(id);
  const before = known?.number === number ? known : null;
  const snapshot = snapshotOf(db, id, number);
  const table = before?.stamp === snapshot.stamp ? before : new RowTable(snapshot, before);
  loading.add(id);
  try {
    yield* table.load();
  } finally {
    loading.delete(id);
  }
  open.delete(id);
  open.set(id, table);
  for (const old of [...open.keys()].slice(0, -mostTables)) open.delete(old);
  return table;
}
