import Database from 'better-sqlite3';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { SqlResult, SqlValue } from '../../../preload/contract/sql.ts';
import type { Db } from '../database.ts';
import { openTable } from '../rows/index.ts';
import type { RowTable } from '../rows/table.ts';
import { atOnce } from '../slices.ts';
import { columnsOf, type TableColumn } from './columns.ts';
import { readCells } from './cells.ts';

type Statement = Database.Statement<[], unknown[]>;
interface Opcode {
  readonly opcode: string;
  readonly p1: number;
  readonly p2: number;
}

/** Most characters of a shown cell, and of all shown cells together. */
const most = { cell: 1_000_000, result: 32_000_000 };
/** Milliseconds for counting the rows that are not shown. */
const countingMs = 5000;

/** Errors of the statement itself, with SQLite's message. */
const faulty = (message: string, hint: string): WhetstoneError =>
  new WhetstoneError('invalid-input', message, { hint });
const namesHint =
  'The table is called rows; see the list of its columns. A name with spaces is written in "double quotes".';

/**
 * Runs one reading statement over the rows of a dataset. `source` is a read-only connection to the workspace,
 * which the statement cannot reach. Throws `not-found` without the dataset, `invalid-input` with SQLite's
 * message for a faulty or refused statement.
 */
export function runStatement(
  source: Db,
  { dataset, sql, limit }: { readonly dataset: string; readonly sql: string; readonly limit: number },
): SqlResult {
  // one transaction: all reads see the same rows
  source.exec('begin');
  const table = atOnce(openTable(source, dataset));
  /** The reads of rows, of which SQLite leaves some before their end. */
  const reading: Generator[] = [];
  // a database of its own in a temporary file
  const db = new Database('');
  try {
    db.pragma('journal_mode = OFF');
    db.pragma('synchronous = OFF');
    return withFaults(() => resultOf(prepareOver(db, table, sql, reading), limit));
  } finally {
    for (const rows of reading) rows.return(undefined);
    db.close();
    source.exec('commit');
  }
}

/** Makes the table `rows` and prepares the statement over it. */
function prepareOver(db: Db, table: RowTable, sql: string, reading: Generator[]): Statement {
  const columns = columnsOf(table);
  const needed = new Set<number>();
  let rows: ReturnType<typeof cellsOf> | null = null;
  db.table('rows', {
    columns: columns.map(({ name }) => name),
    *rows() {
      rows ??= cellsOf(table, columns, needed);
      const read = rows();
      reading.push(read);
      yield* read;
    },
  });
  const statement = prepared(db, sql);
  const program = explained(db, sql);
  for (const { opcode, p2 } of program) if (opcode === 'VColumn' && p2 < columns.length) needed.add(p2);
  if (program.filter(({ opcode }) => opcode === 'VOpen').length <= 1) return readOnly(db, statement);
  copyRows(db, sql, { table, columns, needed });
  return readOnly(db, prepared(db, sql));
}

const cellsOf = (table: RowTable, columns: readonly TableColumn[], needed: ReadonlySet<number>) =>
  atOnce(readCells(table, columns, needed));

const readOnly = (db: Db, statement: Statement): Statement => {
  db.pragma('query_only = ON');
  return statement;
};

/** Prepares one statement that only reads. */
function prepared(db: Db, sql: string): Statement {
  const words = sql.replaceAll(/^(?:\s|--[^\n]*(?:\n|$)|\/\*[^]*?\*\/)+/g, '');
  if (words.trim() === '') throw faulty('There is no statement.', 'Write one, such as select * from rows.');
  const refused = (): WhetstoneError =>
    faulty('Only a statement that reads rows is run.', 'Begin it with SELECT, WITH or VALUES.');
  if (!/^(?:select|with|values)\b/i.test(words)) throw refused();
  const statement = db.prepare<[], unknown[]>(sql);
  if (!statement.reader || !statement.readonly) throw refused();
  return statement.raw().safeIntegers();
}

const explained = (db: Db, sql: string): Opcode[] => db.prepare<[], Opcode>(`explain ${sql}`).all();

/**
 * A statement that reads the rows in several places, such as a join, gets a copy of the columns that it uses,
 * which hides the virtual table: SQLite reads it faster again and again, and can index it.
 */
function copyRows(
  db: Db,
  sql: string,
  { table, columns, needed }: { table: RowTable; columns: readonly TableColumn[]; needed: Set<number> },
): void {
  const quoted = columns.map(({ name }) => `"${name.replaceAll('"', '""')}"`);
  db.exec(`create table rows (${quoted.join(', ')})`);
  const program = explained(db, sql);
  const cursors = new Set(program.filter(({ opcode }) => opcode === 'OpenRead').map(({ p1 }) => p1));
  for (const { opcode, p1, p2 } of program)
    if (opcode === 'Column' && cursors.has(p1) && p2 < columns.length) needed.add(p2);
  const places = [...needed];
  const insert = db.prepare(
    places.length === 0
      ? 'insert into rows default values'
      : `insert into rows (${places.map((at) => quoted[at]).join(', ')}) values (${places.map(() => '?').join(', ')})`,
  );
  db.transaction(() => {
    for (const cells of cellsOf(table, columns, needed)()) insert.run(places.map((at) => cells[at]));
  })();
}

/** The first rows of the result, and how many there are. */
function resultOf(statement: Statement, limit: number): SqlResult {
  const columns = statement.columns().map(({ name }) => name);
  const rows: SqlValue[][] = [];
  const room = { characters: most.result };
  let total = 0;
  let isExact = true;
  let deadline = 0;
  for (const cells of statement.iterate()) {
    total += 1;
    if (rows.length === total - 1 && rows.length < limit && room.characters > 0) {
      rows.push(cells.map((cell) => shown(cell, room)));
      deadline = performance.now() + countingMs;
    } else if (total % 1000 === 0 && performance.now() > deadline) {
      isExact = false;
      break;
    }
  }
  return { columns, rows, total, isExact };
}

/** A cell as text or number; bytes in hexadecimal, numbers that JSON has not as their names. */
function shown(cell: unknown, room: { characters: number }): SqlValue {
  if (cell === null || cell === undefined) return null;
  if (typeof cell === 'number') return Number.isFinite(cell) ? cell : String(cell);
  if (typeof cell === 'bigint') {
    const number = Number(cell);
    return Number.isSafeInteger(number) ? number : String(cell);
  }
  const text =
    typeof cell === 'string'
      ? cell
      : `x'${Buffer.from(cell as Uint8Array)
          .subarray(0, most.cell / 2)
          .toString('hex')}'`;
  room.characters -= Math.min(text.length, most.cell);
  return text.length > most.cell ? `${text.slice(0, most.cell)}…` : text;
}

/** Gives errors of SQLite and its driver a sentence. */
function withFaults<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof WhetstoneError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    if (message.includes('more than one statement'))
      throw faulty('There is more than one statement.', 'Run one at a time.');
    if (
      /parameter|named/i.test(message) &&
      error instanceof Error &&
      !(error instanceof Database.SqliteError)
    )
      throw faulty('The statement has a parameter without a value.', 'Write the value in its place.');
    const hint = message.startsWith('no such') ? namesHint : undefined;
    throw new WhetstoneError('invalid-input', `SQLite: ${message}`, { hint, cause: error });
  }
}
