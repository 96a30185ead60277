import Database from 'better-sqlite3';
import { WhetstoneError, type ErrorKind } from '../../engine/common/errors.ts';
import { migrations as all, type Migration } from './migrations/index.ts';
import { createPrivate } from './private.ts';

export type Db = Database.Database;

/** 'WHET' in ASCII: tells our files from every other SQLite file. */
export const applicationId = 0x57484554;

export interface OpenOptions {
  /** Make the file if it is not there. */
  readonly create: boolean;
  /** For tests: other migrations than the product's, and a bound on the file's size in pages. */
  readonly migrations?: readonly Migration[];
  readonly maxPages?: number;
}

/**
 * Opens a workspace's database, brings it to the newest schema (after copying the file), and sets what every
 * connection needs. Throws `newer-workspace`, `invalid-input` (not one of ours), `not-found`, `disk-full`.
 */
export function openDatabase(path: string, { create, migrations = all, maxPages }: OpenOptions): Db {
  const db = asWorkspaceErrors(path, () => {
    if (create) createPrivate(path);
    return new Database(path, { fileMustExist: !create });
  });
  try {
    asWorkspaceErrors(path, () => {
      if (maxPages !== undefined) db.pragma(`max_page_count = ${maxPages}`);
      // brought into the file often and little by little, so that no commit waits for much of it
      db.pragma('wal_autocheckpoint = 250');
      migrate(db, path, migrations);
      db.pragma('journal_mode = WAL');
      db.pragma('foreign_keys = ON');
      // a label is on disk before it is shown as accepted
      db.pragma('synchronous = FULL');
      db.pragma('busy_timeout = 5000');
    });
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

/** The same file for a thread that only reads; the writer has opened it before. */
export function openToRead(path: string): Db {
  return asWorkspaceErrors(path, () => {
    const db = new Database(path, { readonly: true, fileMustExist: true });
    db.pragma('busy_timeout = 5000');
    return db;
  });
}

/**
 * A transaction of work that is staged: it need not be on the disk when it ends, since what shows it to
 * anybody is a later one that is, and that brings all before it to the disk. A crash in between leaves some
 * of the work or none, invisible, to be swept.
 */
export function staged<T>(db: Db, action: () => T): T {
  db.pragma('synchronous = NORMAL');
  try {
    return db.transaction(action)();
  } finally {
    db.pragma('synchronous = FULL');
  }
}

/** A consistent copy, of the moment at which it begins, in a file that nobody else can read. */
export function copyPrivately(db: Db, path: string): void {
  createPrivate(path);
  db.prepare('vacuum into ?').run(path);
}

function migrate(db: Db, path: string, migrations: readonly Migration[]): void {
  const newest = migrations.at(-1)?.version ?? 0;
  const version = Number(db.pragma('user_version', { simple: true }));
  const isEmpty = Number(db.pragma('schema_version', { simple: true })) === 0;
  if (!isEmpty && db.pragma('application_id', { simple: true }) !== applicationId) {
    throw new WhetstoneError('invalid-input', 'This SQLite file is not a Whetstone workspace.', {
      where: path,
    });
  }
  if (version > newest) {
    throw new WhetstoneError(
      'newer-workspace',
      `This workspace was written by a newer Whetstone (schema ${version}; this one knows ${newest}).`,
      { where: path, hint: 'Open it with that version. Nothing was changed.' },
    );
  }
  const pending = migrations.filter((m) => m.version > version);
  if (pending.length === 0) return;
  if (!isEmpty) copyPrivately(db, `${path}.before-${newest}-${Date.now()}`);
  db.transaction(() => {
    for (const { sql } of pending) db.exec(sql);
    db.pragma(`application_id = ${applicationId}`);
    db.pragma(`user_version = ${newest}`);
  }).exclusive();
}

/** Runs `action`; what SQLite or the file system throws becomes a WhetstoneError that says what to do. */
export function asWorkspaceErrors<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw storeError(error, path);
  }
}

const full: [ErrorKind, string, string] = [
  'disk-full',
  'The workspace could not be written: the disk, a quota or a file-size limit is full.',
  'Free some room, then try again. Nothing was half-written.',
];
const fileInTheWay: [ErrorKind, string, string] = [
  'invalid-input',
  'A part of this path is a file, where a folder is needed.',
  'Choose another path.',
];
const kinds: { readonly [code: string]: readonly [ErrorKind, string, string] } = {
  SQLITE_FULL: full,
  SQLITE_IOERR_WRITE: full,
  SQLITE_IOERR_FSYNC: full,
  SQLITE_IOERR_TRUNCATE: full,
  SQLITE_IOERR_SHMSIZE: full,
  ENOSPC: full,
  EDQUOT: full,
  EFBIG: full,
  SQLITE_NOTADB: [
    'invalid-input',
    'This file is not a Whetstone workspace.',
    'Choose a folder that Whetstone made.',
  ],
  SQLITE_CANTOPEN: ['not-found', 'There is no workspace here.', 'Create one, or choose another folder.'],
  SQLITE_BUSY: ['conflict', 'Another program holds the workspace’s database.', 'Close it and try again.'],
  SQLITE_READONLY: [
    'invalid-input',
    'The workspace’s folder cannot be written.',
    'Change its permissions, or choose another folder.',
  ],
  SQLITE_CORRUPT: [
    'internal',
    'The workspace’s database is damaged.',
    'Open a backup; the damaged file was left as it is.',
  ],
  ENOTDIR: fileInTheWay,
  EEXIST: fileInTheWay,
  EACCES: [
    'invalid-input',
    'The workspace’s folder cannot be written.',
    'Change its permissions, or choose another folder.',
  ],
};

export function storeError(error: unknown, where: string): WhetstoneError {
  if (error instanceof WhetstoneError) return error;
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  const known = kinds[code] ?? kinds[code.split('_').slice(0, 2).join('_')];
  if (known) return new WhetstoneError(known[0], known[1], { where, hint: known[2], cause: error });
  const reason = error instanceof Error ? error.message : String(error);
  return new WhetstoneError('internal', reason, { where: code ? `${where} (${code})` : where, cause: error });
}
