import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Workspace } from '../../preload/contract/workspaces.ts';
import { liveStates } from '../../preload/wire/run-states.ts';
import { found, type StoreContext } from './context.ts';
import { copyPrivately, openReadOnly } from './database.ts';
import { uuid } from './uuid.ts';

type Row = { id: string; name: string; created_at: number };

/** Queries of the workspace itself: its facts, size and backup. */
export const workspaceQueries = ({ db, folder }: StoreContext) => ({
  /** The workspace's facts; creates id and name in a new file. */
  facts(name = ''): Workspace {
    db.prepare('insert into workspace values (1, ?, ?, ?) on conflict do nothing').run(
      uuid(),
      name || 'Workspace',
      Date.now(),
    );
    const row = found(
      db.prepare<[], Row>('select id, name, created_at from workspace').get(),
      'workspace',
      folder,
    );
    return { path: folder, id: row.id, name: row.name, createdAt: row.created_at };
  },

  rename(name: string): void {
    db.prepare('update workspace set name = ?').run(name);
  },

  /**
   * Moves the log into the file, in a thread that does nothing else: decisions and imports go on meanwhile.
   */
  checkpoint(): void {
    db.pragma('wal_checkpoint(PASSIVE)');
  },

  databaseBytes: (): number =>
    ['', '-wal', '-shm']
      .map((end) => join(folder, `workspace.db${end}`))
      .reduce((sum, path) => sum + (existsSync(path) ? statSync(path).size : 0), 0),

  /** Writes a consistent copy of the database, as of its start, while others write. */
  backup(path: string): void {
    // by a separate connection: SQLite refuses to copy while this one is in the middle of an export
    const own = openReadOnly(db.name);
    try {
      copyPrivately(own, path);
    } finally {
      own.close();
    }
  },

  /**
   * The given paths under `artifacts` to which no row refers, directly or by a parent folder; all relative to
   * the workspace.
   */
  unreferenced(paths: readonly string[]): string[] {
    const refers = db.prepare<{ path: string }, { one: number }>(`
      select 1 one where exists (select 1 from trajectories where segment = :path) or exists (select 1 from checkpoints where path = :path)
        or exists (select 1 from run_inputs where artifact = :path) or exists (select 1 from judge_features where path = :path)
        or exists (select 1 from runs where 'artifacts/runs/' || id = :path and id = substr(:path, 16)
          and state in (${liveStates.map((state) => `'${state}'`).join()}))`);
    const known = new Map<string, boolean>();
    const isReferred = (path: string): boolean => {
      const before = known.get(path);
      if (before !== undefined) return before;
      const now = refers.get({ path }) !== undefined;
      known.set(path, now);
      return now;
    };
    return paths.filter(
      (path) => !path.split('/').some((_part, i, parts) => isReferred(parts.slice(0, i + 1).join('/'))),
    );
  },
});
