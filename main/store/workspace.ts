import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Workspace } from '../../preload/contract/workspaces.ts';
import { liveStates } from '../../preload/wire/run-states.ts';
import { found, type StoreContext } from './context.ts';
import { copyPrivately, openToRead } from './database.ts';
import { uuid } from './uuid.ts';

type Row = { id: string; name: string; created_at: number };

/** The workspace's own row, its size, its copy. */
export const workspaceQueries = ({ db, folder }: StoreContext) => ({
  /** The workspace's facts; a fresh file gets its id and name here. */
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

  databaseBytes: (): number =>
    ['', '-wal', '-shm']
      .map((end) => join(folder, `workspace.db${end}`))
      .reduce((sum, path) => sum + (existsSync(path) ? statSync(path).size : 0), 0),

  /** A consistent copy of the database while others write: of the moment at which it begins. */
  backup(path: string): void {
    // by a connection of its own: this one may be in the middle of an export, and SQLite then refuses to copy
    const own = openToRead(db.name);
    try {
      copyPrivately(own, path);
    } finally {
      own.close();
    }
  },

  /**
   * Those of some paths under `artifacts` that no row refers to, neither by themselves nor by a folder above
   * them; all relative to the workspace.
   */
  unreferenced(paths: readonly string[]): string[] {
    const refers = db.prepare<{ path: string }, { one: number }>(`
      select 1 one where exists (select 1 from trajectories where segment = :path) or exists (select 1 from checkpoints where path = :path)
        or exists (select 1 from run_inputs where artifact = :path)
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
