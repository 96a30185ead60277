import Database from 'better-sqlite3';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { applicationId, openDatabase, type Db } from '../../main/store/database.ts';
import { migrations } from '../../main/store/migrations/index.ts';
import { caught } from '../support/errors.ts';
import { temporaryFolder } from '../support/folder.ts';

const newest = migrations.at(-1)?.version ?? 0;
const file = (): string => join(temporaryFolder(), 'workspace.db');
const open = (path: string, options: Parameters<typeof openDatabase>[1] = { create: true }): Db => {
  const db = openDatabase(path, options);
  onTestFinished(() => void db.close());
  return db;
};
const schema = (db: Db): unknown =>
  db.prepare('select type, name, sql from sqlite_schema order by name').all();
const copies = (path: string): string[] =>
  readdirSync(join(path, '..')).filter((name) => name.startsWith(`${basename(path)}.before-`));

/** A database file as that version left it, with a row that must survive the migration. */
function fileOf(version: number): string {
  const path = file();
  const db = openDatabase(path, { create: true, migrations: migrations.filter((m) => m.version <= version) });
  db.prepare('insert into workspace values (1, ?, ?, ?)').run('id', 'kept', 5);
  db.prepare(
    "insert into datasets (id, name, source, hash, created_at, rows, doctor, visible) values ('d', 'set', " +
      "'f', 'h', 5, 1, '{}', 1)",
  ).run();
  db.prepare(
    "insert into dataset_rows (dataset_id, row, line, prompt_id, prompt, answer, source) values ('d', 0, " +
      "1, 'p', 'asked', 'said', '')",
  ).run();
  db.close();
  return path;
}

describe('migrations', () => {
  it('are numbered from 1 without gaps', () =>
    expect(migrations.map((m) => m.version)).toEqual(migrations.map((_m, i) => i + 1)));

  it('create the newest version from an empty file', () => {
    const path = file();
    const db = open(path);
    expect([
      db.pragma('user_version', { simple: true }),
      db.pragma('application_id', { simple: true }),
    ]).toEqual([newest, applicationId]);
    expect([
      db.pragma('journal_mode', { simple: true }),
      db.pragma('foreign_keys', { simple: true }),
      db.pragma('synchronous', { simple: true }),
    ]).toEqual(['wal', 1, 2]);
    expect(copies(path)).toEqual([]);
  });

  it.each(migrations.map((m) => m.version))(
    'migrate a file of version %i to the newest schema and keep its rows',
    (version) => {
      const path = fileOf(version);
      const db = open(path, { create: false });
      expect(schema(db)).toEqual(schema(open(file())));
      expect(db.prepare('select name from workspace').get()).toEqual({ name: 'kept' });
      expect(db.prepare('select prompt, answer, messages, extra from dataset_rows').all()).toEqual([
        { prompt: 'asked', answer: 'said', messages: null, extra: null },
      ]);
      expect(db.pragma('foreign_key_check')).toEqual([]);
      expect(copies(path)).toHaveLength(version === newest ? 0 : 1);
    },
  );

  it('copy an existing file before the first one runs, and change nothing when one fails', () => {
    const path = fileOf(newest);
    const next = { version: newest + 1, sql: 'alter table workspace add column note text' };
    const broken = { version: newest + 2, sql: 'create table half (x); select no such thing' };
    caughtAny(() => openDatabase(path, { create: false, migrations: [...migrations, next, broken] }));
    const unchanged = openDatabase(path, { create: false });
    expect(schema(unchanged)).toEqual(schema(open(file())));
    unchanged.close();
    const before = copies(path).length;
    const db = open(path, { create: false, migrations: [...migrations, next] });
    expect(db.prepare('select name, note from workspace').get()).toEqual({ name: 'kept', note: null });
    expect(copies(path)).toHaveLength(before + 1);
    const copy = new Database(join(path, '..', copies(path).sort().at(-1) ?? ''), { readonly: true });
    onTestFinished(() => void copy.close());
    expect([
      copy.pragma('user_version', { simple: true }),
      copy.prepare('select name from workspace').get(),
    ]).toEqual([newest, { name: 'kept' }]);
  });

  it('leave a file of a newer version unchanged', () => {
    const path = fileOf(newest);
    const newer = new Database(path);
    newer.pragma(`user_version = ${newest + 1}`);
    newer.close();
    expect(caught(() => openDatabase(path, { create: false }))).toMatchObject({
      kind: 'newer-workspace',
      where: path,
    });
    expect(copies(path)).toEqual([]);
  });

  it('reject a SQLite file of another program, and a file that is not SQLite', () => {
    const path = file();
    const other = new Database(path);
    other.exec('create table notes (x)');
    other.close();
    expect(caught(() => openDatabase(path, { create: false })).kind).toBe('invalid-input');
  });
});

function caughtAny(action: () => unknown): void {
  expect(action).toThrow();
}
