import { found } from '../context.ts';
import type { Db } from '../database.ts';
import { partRows } from '../rows/part.ts';
import type { Sliced } from '../slices.ts';
import { readBatch, start, type Batch, type Place } from './batch.ts';
import { hasMore, indexedOf, readColumn, type Indexed } from './fill.ts';
import { unpackInto } from './packed.ts';

/** Columns of the stored parts, by name; null for a column that no part has. */
type StoredColumns = Map<string, Float64Array | null>;

/** The answers of one run as they are at one time: stored parts, and batches read after them. */
export class RunAnswers {
  readonly db: Db;
  readonly runId: string;
  readonly indexed: Indexed;
  readonly tail: readonly Batch[];
  /** Number of answers in stored parts. */
  readonly stored: number;
  readonly size: number;
  readonly #columns: StoredColumns;

  constructor(db: Db, runId: string, indexed: Indexed, tail: readonly Batch[], columns: StoredColumns) {
    [this.db, this.runId, this.indexed, this.tail] = [db, runId, indexed, tail];
    this.stored = indexed.parts.reduce((sum, { count }) => sum + count, 0);
    this.size = this.stored + tail.reduce((sum, { count }) => sum + count, 0);
    this.#columns = columns;
  }

  get storedColumns(): StoredColumns {
    return this.#columns;
  }

  /** The names of all columns. */
  names(): ReadonlySet<string> {
    const stored = this.db
      .prepare<[number | null], string>('select distinct name from sample_columns where number = ?')
      .pluck()
      .all(this.indexed.number);
    return new Set([...stored, ...this.tail.flatMap(({ columns }) => [...columns.keys()])]);
  }

  /** Place of the last answer. */
  get last(): Place {
    return this.tail.at(-1)?.last ?? this.indexed.parts.at(-1) ?? start;
  }

  /** A stored column of all answers, not to be changed; null if some are not stored. */
  *whole(name: string): Sliced<Float64Array | null> {
    return this.tail.length === 0 ? yield* this.#stored(name) : null;
  }

  /** Writes a column into `to` from `at` on; NaN where it has no value. */
  *write(name: string, to: Float64Array, at: number): Sliced<void> {
    const stored = yield* this.#stored(name);
    if (stored) to.set(stored, at);
    else to.fill(Number.NaN, at, at + this.stored);
    let from = at + this.stored;
    for (const { columns, count } of this.tail) {
      const own = columns.get(name);
      if (own) to.set(own, from);
      else to.fill(Number.NaN, from, from + count);
      from += count;
    }
  }

  *#stored(name: string): Sliced<Float64Array | null> {
    const known = this.#columns.get(name);
    if (known !== undefined) return known;
    const { number, parts } = this.indexed;
    const read = readColumn(this.db, number ?? 0);
    const data = new Float64Array(this.stored).fill(Number.NaN);
    let isThere = false;
    for (const [part, { count }] of parts.entries()) {
      const bytes = read(name, part);
      isThere ||= bytes !== undefined;
      if (bytes) unpackInto(bytes, data, part * partRows, count);
      if (part % 8 === 7) yield;
    }
    const column = isThere ? data : null;
    this.#columns.set(name, column);
    return column;
  }
}

const samePlace = (a: Indexed, b: Indexed): boolean =>
  a.number === b.number &&
  a.stamp === b.stamp &&
  a.parts.length === b.parts.length &&
  a.parts.at(-1)?.count === b.parts.at(-1)?.count;

/**
 * The answers of a run as they are now, given how they were before: only new ones are read. Throws
 * `not-found`.
 */
export function* answersOf(db: Db, runId: string, before: RunAnswers | null): Sliced<RunAnswers> {
  const isThere = db.prepare('select 1 from runs where id = ? and visible = 1').get(runId);
  found(isThere, 'run', runId);
  const indexed = indexedOf(db, runId);
  const isSame = before !== null && samePlace(before.indexed, indexed);
  const columns = isSame ? before.storedColumns : new Map<string, Float64Array | null>();
  const tail = isSame ? [...before.tail] : [];
  let last = tail.at(-1)?.last ?? indexed.parts.at(-1) ?? start;
  for (let isMore = hasMore(db, runId, last); isMore;) {
    const batch = yield* readBatch(db, runId, last, partRows);
    if (batch.count > 0) tail.push(batch);
    last = batch.last;
    isMore = batch.count === partRows;
  }
  if (isSame && tail.length === before.tail.length && indexed.texts === before.indexed.texts) return before;
  return new RunAnswers(db, runId, indexed, tail, columns);
}
