import Database from 'better-sqlite3';
import { WhetstoneError, type ErrorKind } from '../../engine/common/errors.ts';
import { migrations as all, type Migration } from './migrations/index.ts';
import { createPrivate } from './private.ts';

export type Db = Database.Database;

/** Application id of workspace files: 'WHET' in ASCII. */
export const applicationId = 0x57484554;

export interface OpenOptions {
  /** Create the file if it is missing. */
  readonly create: boolean;
  /** For tests: other migrations, and a limit on the file's size in pages. */
  readonly migrations?: readonly Migration[];
  readonly maxPages?: number;
}

/**
 * Pages of the log after which a commit of the writer also moves them into the file. Few, so that no commit
 * has to wait for many; more while a run sends thousands of points a second, which change the same pages again
 * and again; during an import another thread moves them meanwhile, and the writer only the rest.
 */
export const checkpointPages = { usual: 250, streaming: 2000, importing: 64_000 } as const;

/**
 * Opens a workspace's database, migrates it to the newest schema (after copying the file), and configures the
 * connection. Throws `newer-workspace`, `invalid-input` (not a workspace), `not-found`, `disk-full`.
 */
export function openDatabase(path: string, { create, migrations = all, maxPages }: OpenOptions): Db {
  const db = asWorkspaceErrors(path, () => {
    if (create) createPrivate(path);
    return new Database(path, { fileMustExist: !create });
  });
  try {
    asWorkspaceErrors(path, () => {
      if (maxPages !== undefined) db.pragma(`max_page_count = ${maxPages}`);
      db.pragma(`wal_autocheckpoint = ${checkpointPages.usual}`);
      migrate(db, path, migrations);
      db.pragma('journal_mode = WAL');
      db.pragma('foreign_keys = ON');
      // a label is on disk before its call returns
      db.pragma('synchronous = FULL');
      db.pragma('busy_timeout = 5000');
    });
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

/** Opens the file for checkpoints of its log in the background, after the writer has opened it. */
export function openForCheckpoints(path: string): Db {
  return asWorkspaceErrors(path, () => {
    const db = new Database(path, { fileMustExist: true });
    db.pragma('synchronous = NORMAL');
    return db;
  });
}

/** Opens the file read-only, after the writer has opened it. */
export function openReadOnly(path: string): Db {
  return asWorkspaceErrors(path, () => {
    const db = new Database(path, { readonly: true, fileMustExist: true });
    db.pragma('busy_timeout = 5000');
    return db;
  });
}

/**
 * Runs a transaction of staged, still invisible work. It need not be on disk when it ends: the later
 * transaction that makes the work visible is synced, which also syncs all before it. A crash in between
 * leaves some or none of the work, which the sweep deletes.
 */
export function staged<T>(db: Db, action: () => T): T {
  db.pragma('synchronous = NORMAL');
  try {
    return db.transaction(action)();
  } finally {
    db.pragma('synchronous = FULL');
  }
}

/** Writes a consistent copy, as of its start, to a file readable by its owner only. */
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
      `This workspace was written by a newer Whetstone (schema ${version}; this version reads up to ${newest}).`,
      { where: path, hint: 'Open it with the newer version. Nothing was changed.' },
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

/** Runs `action` and converts errors of SQLite and the file system to a WhetstoneError with a hint. */
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
  'Free some space, then try again. Nothing was partially written.',
];
const fileInTheWay: [ErrorKind, string, string] = [
  'invalid-input',
  'A part of this path is a file, not a folder.',
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
    'Choose a folder that Whetstone created.',
  ],
  SQLITE_CANTOPEN: ['not-found', 'There is no workspace here.', 'Create one, or choose another folder.'],
  SQLITE_BUSY: [
    'conflict',
    'Another program has locked the workspace’s database.',
    'Close it and try again.',
  ],
  SQLITE_READONLY: [
    'invalid-input',
    'The workspace’s folder cannot be written.',
    'Change its permissions, or choose another folder.',
  ],
  SQLITE_CORRUPT: [
    'internal',
    'The workspace’s database is damaged.',
    'Open a backup; the damaged file was not changed.',
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
