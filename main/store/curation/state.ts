import type { Statement } from 'better-sqlite3';
import type { Db } from '../database.ts';
import { rowColumns, type StoredRow } from '../dataset-row.ts';
import { fromJson } from '../json.ts';
import { Bits } from '../rows/bits.ts';
import { filledParts } from '../rows/computed-cells.ts';
import { heldColumns, type HeldColumn } from '../rows/computed.ts';
import { ComputedReader } from '../rows/computed-reader.ts';
import { sizeOf } from '../rows/fill.ts';
import { partRows } from '../rows/part.ts';
import { marksOf, putPart } from '../rows/marks.ts';
import type { Sliced } from '../slices.ts';
import { stacksOf } from './log.ts';

/** A row of a version, with its marks; notes are not part of a version. */
export type VersionRow = StoredRow & { readonly marks: readonly string[] };

/** Number of rows read in one step. */
const some = 250;

interface Cell {
  readonly row: number;
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * The rows of a dataset as they were after a step: the present ones, with what came after it taken back.
 * `Infinity`: as they are now.
 */
export class StateAt {
  readonly #db: Db;
  readonly #id: string;
  readonly #size: number;
  readonly #marks: Map<string, Bits>;
  readonly #computed: ComputedReader;
  readonly #read: Statement<[string, number], StoredRow>;
  /** Cells that differ from the present ones, by row. */
  readonly #cells = new Map<number, Map<string, string | null>>();
  /** Rows whose cells or marks may differ from the present ones. */
  readonly touched: Bits;

  constructor(db: Db, id: string, number: number, sequence: number) {
    this.#db = db;
    this.#id = id;
    this.#read = db.prepare(`select ${rowColumns} from dataset_rows where dataset_id = ? and row = ?`);
    const [now, then] = [stacksOf(db, id).applied, stacksOf(db, id, sequence).applied];
    const common = now.findIndex((event, at) => event !== then[at]);
    const shared = common < 0 ? now.length : common;
    const [later, earlier] = [now.slice(shared).reverse(), then.slice(shared)];
    for (const event of later) this.#write(event, 'before');
    for (const event of earlier) this.#write(event, 'after');
    const last = [...this.#cells.keys()].reduce((most, row) => Math.max(most, row), -1);
    this.#size = Math.max(sizeOf(db, id), last + 1);
    this.touched = Bits.of(this.#size, this.#cells.keys());
    this.#marks = marksOf(db, number, this.#size);
    for (const event of [...later, ...earlier]) this.#toggle(event);
    this.#computed = new ComputedReader(db, heldColumns(db, id, then));
    this.#touchComputed(heldColumns(db, id, now));
  }

  get size(): number {
    return this.#size;
  }

  /** A row, or null if it did not exist or was excluded. */
  row(row: number): VersionRow | null {
    return this.#asThen(row, this.#read.get(this.#id, row));
  }

  /** Calls `action` with each row that existed and was not excluded, in order. */
  *each(action: (row: VersionRow) => void): Sliced<void> {
    const page = this.#db.prepare<[string, number, number], StoredRow>(
      `select ${rowColumns} from dataset_rows where dataset_id = ? and row >= ? and row < ?`,
    );
    for (let from = 0; from < this.#size; from += some, yield) {
      const present = new Map(page.all(this.#id, from, from + some).map((row) => [row.row, row]));
      for (let row = from; row < Math.min(this.#size, from + some); row += 1) {
        const then = this.#asThen(row, present.get(row));
        if (then) action(then);
      }
    }
  }

  #asThen(row: number, present: StoredRow | undefined): VersionRow | null {
    const cells = this.#cells.get(row);
    const whole = cells?.get('*');
    const base = whole === undefined ? present : whole === null ? undefined : fromJson<StoredRow>(whole);
    if (!base) return null;
    const changed: Record<string, unknown> = { ...base };
    for (const [field, value] of cells ?? [])
      if (field !== '*' && field !== 'note')
        changed[field] = field === 'correct' && value !== null ? Number(value) : value;
    const marks = [...this.#marks]
      .filter(([name, bits]) => name !== 'note' && bits.has(row))
      .map(([name]) => name);
    if (marks.includes('excluded')) return null;
    const stored = changed as StoredRow;
    return { ...stored, extra: this.#computed.extra(row, stored.extra), marks: marks.sort() };
  }

  /** Declares the rows of computed columns touched that hold only now, or only then. */
  #touchComputed(now: readonly HeldColumn[]): void {
    const then = this.#computed.columns;
    const isIn = (columns: readonly HeldColumn[], { event, at }: HeldColumn) =>
      columns.some((each) => each.event === event && each.at === at);
    const differing = [
      ...now.filter((column) => !isIn(then, column)),
      ...then.filter((column) => !isIn(now, column)),
    ];
    for (const { event } of differing)
      for (const part of filledParts(this.#db, event))
        for (let row = part * partRows; row < (part + 1) * partRows; row += 1) this.touched.add(row);
  }

  #write(event: number, to: 'before' | 'after'): void {
    const cells = this.#db.prepare<[number], Cell>(
      'select row, field, before, after from curation_cells where event = ?',
    );
    for (const cell of cells.iterate(event)) {
      const own = this.#cells.get(cell.row) ?? new Map<string, string | null>();
      own.set(cell.field, cell[to]);
      this.#cells.set(cell.row, own);
    }
  }

  #toggle(event: number): void {
    const toggled = this.#db.prepare<[number], { name: string; part: number; rows: Buffer }>(
      'select name, part, rows from curation_marks where event = ?',
    );
    const marks = this.#marks;
    for (const { name, part, rows } of toggled.iterate(event)) {
      const change = new Bits(this.#size);
      putPart(change, part, rows);
      marks.set(name, (marks.get(name) ?? new Bits(this.#size)).xor(change));
      change.forEach((row) => this.touched.add(row));
    }
  }
}
