import { createHash, type Hash } from 'node:crypto';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import { Doctor } from '../../../engine/row-tools.ts';
import type { Column, Doctor as Findings } from '../../../preload/contract/datasets.ts';
import { flag, found } from '../context.ts';
import { toggleBytes } from '../curation/marks.ts';
import { refuseWhileChanging } from '../curation/log.ts';
import { StateAt, type VersionRow } from '../curation/state.ts';
import { canonical, changesOf } from '../curation/versions.ts';
import { staged, type Db } from '../database.ts';
import { rowColumns, storedLength, type StoredRow } from '../dataset-row.ts';
import { canonicalJson, fromJson, toJson } from '../json.ts';
import { Bits } from '../rows/bits.ts';
import { partsIn } from '../rows/marks.ts';
import type { Sliced } from '../slices.ts';

/** A dataset as it was after a step. */
export interface Parent {
  readonly id: string;
  readonly sequence: number;
}
/** Rows to copy: row `rows[i]` of parent `from[i]`. */
export interface Draws {
  readonly from: Uint32Array;
  readonly rows: Uint32Array;
}
/** Parts of rows that a copy keeps, and the column that it adds. */
export interface Keep {
  /** Extra columns; null: all. */
  readonly columns: readonly string[] | null;
  /** Tags, flags and splits. */
  readonly marks: boolean;
  /** The row numbers of the parent. */
  readonly numbers?: boolean;
  /** Adds a column that names the parent of each row. */
  readonly label: { readonly column: string; readonly names: readonly string[] } | null;
}

/** Most rows, and about the most characters, copied in one transaction. */
const most = { rows: 150, characters: 250_000 };
/** Most columns that the doctor lists. */
const mostColumns = 400;

/** Number by which marks name a dataset, also one in the making. Throws `not-found`. */
export const numberOfAny = (db: Db, id: string): number =>
  found(
    db.prepare<[string], number>('select number from dataset_numbers where dataset_id = ?').pluck().get(id),
    'dataset',
    id,
  );

/** A dataset in the making: the doctor's findings and the hash of the rows so far. */
export class Copying {
  readonly #db: Db;
  readonly #id: string;
  readonly #number: number;
  readonly #doctor = new Doctor();
  readonly #digest: Hash = createHash('sha256');
  readonly #kept = new Map<string, number>();
  readonly #states = new Map<string, { readonly stamp: string; readonly state: StateAt }>();
  #rows = 0;

  constructor(db: Db, id: string) {
    this.#db = db;
    this.#id = id;
    this.#number = numberOfAny(db, id);
  }

  /** Copies rows behind those copied before. Throws `conflict` while a parent is being changed. */
  *copy(parents: readonly Parent[], { from, rows }: Draws, keep: Keep): Sliced<void> {
    for (let at = 0; at < rows.length; yield) {
      // no row changes until the next pause
      const states = parents.map((parent) => this.#stateOf(parent));
      const part: VersionRow[] = [];
      for (let characters = 0; at < rows.length && part.length < most.rows && characters < most.characters;) {
        const row = rows[at];
        const read = found(states[from[at]].row(row) ?? undefined, 'row', `row ${row}`);
        part.push(this.#made(read, keep, from[at], this.#rows + part.length));
        characters += storedLength(read);
        at += 1;
      }
      staged(this.#db, () => this.#store(part));
    }
  }

  /** Hash of the rows, as of a version, and their number. */
  content(): { readonly hash: string; readonly rows: number } {
    return { hash: this.#digest.copy().digest('hex'), rows: this.#rows };
  }

  findings(why: string): Findings {
    const columns = [...this.#kept].map(([name, kept]): Column => ({
      name,
      as: null,
      used: 0,
      kept,
      empty: this.#rows - kept,
    }));
    const about = { format: 'derived', why, rows: this.#rows, rejected: 0, aside: 0, columns };
    return { ...this.#doctor.findings(about), columns: columns.slice(0, mostColumns) };
  }

  /** A parent as it was; read anew if it was changed since. */
  #stateOf({ id, sequence }: Parent): StateAt {
    const stamp = changesOf(this.#db, id);
    // two versions of one dataset are two parents
    const key = `${id}/${sequence}`;
    const known = this.#states.get(key);
    if (known?.stamp === stamp) return known.state;
    refuseWhileChanging(this.#db, id);
    const state = new StateAt(this.#db, id, numberOfAny(this.#db, id), sequence);
    this.#states.set(key, { stamp, state });
    return state;
  }

  #made(row: VersionRow, { columns, marks, numbers, label }: Keep, parent: number, at: number): VersionRow {
    const all = row.extra === null ? {} : fromJson<Record<string, unknown>>(row.extra);
    const kept = columns === null ? all : pick(all, columns);
    if (label) refuseTaken(kept, label.column);
    const extra = label ? { ...kept, [label.column]: label.names[parent] } : kept;
    return {
      ...row,
      row: numbers === true ? row.row : at,
      extra: Object.keys(extra).length > 0 ? toJson(extra) : null,
      marks: marks ? row.marks : [],
    };
  }

  #store(rows: readonly VersionRow[]): void {
    const [db, id] = [this.#db, this.#id];
    const { changes } = db
      .prepare('update datasets set rows = rows + ? where id = ? and visible = 0')
      .run(rows.length, id);
    if (changes === 0) found(undefined, 'dataset in the making', id);
    const insert = db.prepare(
      `insert into dataset_rows (dataset_id, ${rowColumns}) values (@dataset, ${rowColumns.replaceAll(/\w+/g, '@$&')})`,
    );
    for (const { marks, ...row } of rows) {
      insert.run({ ...row, dataset: id });
      this.#count({ ...row, marks });
    }
    this.#mark(rows);
    this.#rows += rows.length;
  }

  #count(row: VersionRow): void {
    this.#digest.update(`${canonicalJson(canonical(row))}\n`);
    this.#doctor.add({ ...answerOf(row), reference: row.reference });
    for (const name of Object.keys(row.extra === null ? {} : fromJson<object>(row.extra)))
      this.#kept.set(name, (this.#kept.get(name) ?? 0) + 1);
  }

  #mark(rows: readonly VersionRow[]): void {
    const size = rows.reduce((most, { row }) => Math.max(most, row + 1), 0);
    const marked = new Map<string, Bits>();
    for (const { row, marks } of rows)
      for (const name of marks) {
        const bits = marked.get(name) ?? new Bits(size);
        bits.add(row);
        marked.set(name, bits);
      }
    for (const [name, bits] of marked)
      for (const { part, rows: bytes } of partsIn(bits))
        toggleBytes(this.#db, this.#number, name, part, bytes);
  }
}

/** Throws `invalid-input` for rows that have a column of this name, which would be lost. */
function refuseTaken(extra: Readonly<Record<string, unknown>>, column: string): void {
  const lower = column.toLowerCase();
  if (Object.keys(extra).some((name) => name.toLowerCase() === lower))
    throw new WhetstoneError('invalid-input', `The rows have a column '${column}' already.`, {
      where: 'column',
      hint: 'Give the column that names each row’s dataset another name.',
    });
}

const pick = (all: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));

const answerOf = ({ prompt_id: promptId, prompt, answer, correct }: StoredRow) => ({
  promptId,
  prompt,
  answer,
  correct: flag(correct),
});
