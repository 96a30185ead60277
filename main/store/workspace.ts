import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Workspace } from '../../preload/contract/workspaces.ts';
import { found, type StoreContext } from './context.ts';
import { uuid } from './uuid.ts';

type Row = { id: string; name: string; created_at: number };

/** The workspace's own row, its size, its copy. */
export const workspaceQueries = ({ db, folder }: StoreContext) => ({
  /** The workspace's facts; a fresh file gets its id and name here. */
  facts(name = ''): Workspace {
    db.prepare('insert into workspace values (1, ?, ?, ?) on conflict do nothing').run(uuid(), name || 'Workspace', Date.now());
    const row = found(db.prepare<[], Row>('select id, name, created_at from workspace').get(), 'workspace', folder);
    return { path: folder, id: row.id, name: row.name, createdAt: row.created_at };
  },

  rename(name: string): void {
    db.prepare('update workspace set name = ?').run(name);
  },

  databaseBytes: (): number =>
    ['', '-wal', '-shm'].map((end) => join(folder, `workspace.db${end}`)).reduce((sum, path) => sum + (existsSync(path) ? statSync(path).size : 0), 0),

  /** A consistent copy of the database while others write. */
  async backup(path: string): Promise<void> {
    await db.backup(path);
  },

  /** Every file and folder under `artifacts` that a row refers to, relative to the workspace. */
  referenced: (): string[] => db.prepare<[], { path: string }>(`
    select distinct segment as path from trajectories union select path from checkpoints
    union select artifact from run_inputs where artifact is not null
    union select 'artifacts/runs/' || id from runs where state in ('queued', 'running', 'stopping')`).all().map((r) => r.path),
});
