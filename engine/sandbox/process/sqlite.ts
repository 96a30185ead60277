/**
 * SQL in SQLite compiled to WebAssembly, in memory: tables from a setup that only makes and fills them, and
 * one query that only reads.
 */
import initSqlJs, { type Database, type SqlJs, type Statement } from 'sql.js';
import type { Limits, Outcome, SandboxErrorKind, SqlRows, SqlTask } from '../../schema/sandbox.ts';
import { computedMs } from '../clock.ts';

class Refused extends Error {
  readonly kind: SandboxErrorKind;
  constructor(kind: SandboxErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

export interface Sqlite {
  run(task: SqlTask, limits: Limits): Outcome<SqlRows>;
}

const MAKES = /^(create\s+(temp\s+|temporary\s+|unique\s+)?(table|index|view)|insert\s+into)\b/i;
const READS = /^(select|with|values)\b/i;
const MESSAGE_CHARS = 500;

/** Compiles SQLite once. It does not stop an endless query: the parent ends the process. */
export const openSqlite = async (wasmBinary: ArrayBuffer): Promise<Sqlite> => {
  const sql = await initSqlJs({ wasmBinary });
  let heapLimit = Infinity;
  let kept: { readonly setup: string; readonly database: Database } | undefined;
  const open = (setup: string, limits: Limits): Database => {
    // the limit applies to the whole process, and SQLite cannot raise it again
    if (limits.memoryBytes < heapLimit) heapLimit = limits.memoryBytes;
    kept?.database.close();
    kept = undefined;
    const database = filled(sql, setup, heapLimit);
    kept = { setup, database };
    return database;
  };
  return {
    run: (task, limits) => {
      const began = computedMs();
      const ended = (
        result:
          | { readonly ok: true; readonly value: SqlRows }
          | {
              readonly ok: false;
              readonly error: { readonly kind: SandboxErrorKind; readonly message: string };
            },
      ): Outcome<SqlRows> => ({ ...result, ms: computedMs() - began, log: '' });
      try {
        const database = kept?.setup === task.setup ? kept.database : open(task.setup, limits);
        return ended({ ok: true, value: queried(database, task.query, limits, began) });
      } catch (error) {
        const message = error instanceof Error ? error.message.slice(0, MESSAGE_CHARS) : String(error);
        return ended({
          ok: false,
          error: {
            kind: error instanceof Refused ? error.kind : message === 'out of memory' ? 'memory' : 'threw',
            message,
          },
        });
      }
    },
  };
};

const filled = (sql: SqlJs, setup: string, heapLimit: number): Database => {
  const database = new sql.Database();
  // the same query of the same tables must give the same rows again
  database.create_function('random', () => chance());
  database.create_function('randomblob', (_bytes) => chance());
  database.exec(
    `PRAGMA hard_heap_limit=${heapLimit}; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA ` +
      'trusted_schema=OFF; BEGIN',
  );
  for (let rest = withoutComments(setup); rest !== ''; rest = withoutComments(rest)) {
    rest = stepped(
      database,
      rest,
      MAKES,
      (text) => `A setup may only make tables and fill them: ${text.slice(0, 80)}`,
      (statement) => {
        while (statement.step());
      },
    );
  }
  database.exec('COMMIT; PRAGMA query_only=ON');
  return database;
};

const chance = (): never => {
  throw new Error('There is no chance here.');
};

/**
 * Runs one statement and returns the text after it. The statement's kind must be known before SQLite sees
 * it: a PRAGMA takes effect when it is prepared.
 */
const stepped = (
  database: Database,
  text: string,
  fits: RegExp,
  complaint: (text: string) => string,
  use: (statement: Statement) => void,
): string => {
  if (!fits.test(text)) throw new Refused('refused', complaint(text));
  const statement = database.prepare(text);
  try {
    use(statement);
    return text.slice(statement.getSQL().length);
  } finally {
    statement.free();
  }
};

const queried = (database: Database, query: string, limits: Limits, began: number): SqlRows => {
  const text = withoutComments(query);
  if (text === '' || text === ';') throw new Refused('refused', 'There is no statement.');
  const rows: (string | number | null)[][] = [];
  let columns: string[] = [];
  stepped(
    database,
    text,
    READS,
    () => 'Only a query that reads is allowed: SELECT, WITH or VALUES.',
    (statement) => {
      if (withoutComments(text.slice(statement.getSQL().length)) !== '')
        throw new Refused('refused', 'Only one statement is allowed.');
      let chars = 0;
      while (statement.step()) {
        const row = statement
          .get()
          .map((cell) => (cell instanceof Uint8Array ? hexadecimal(cell, limits) : cell));
        chars = row.reduce<number>(
          (sum, cell) => sum + (typeof cell === 'string' ? cell.length : 8),
          chars + 2,
        );
        if (chars > limits.resultChars)
          throw new Refused('too-large', `The result has more than ${limits.resultChars} characters.`);
        if (computedMs() - began > limits.timeMs)
          throw new Refused('timeout', `It did not end within ${limits.timeMs} ms.`);
        rows.push(row);
      }
      columns = statement.getColumnNames();
    },
  );
  return { columns, rows };
};

const withoutComments = (text: string): string => text.replace(/^(\s+|--[^\n]*(\n|$)|\/\*[\s\S]*?\*\/)+/, '');

const hexadecimal = (bytes: Uint8Array, { resultChars }: Limits): string => {
  if (2 * bytes.length > resultChars)
    throw new Refused('too-large', `The result has more than ${resultChars} characters.`);
  return Buffer.from(bytes).toString('hex');
};
