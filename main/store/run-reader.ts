import { join, resolve } from 'node:path';
import { WhetstoneError, type ErrorFacts } from '../../engine/common/errors.ts';
import type { LogEntry } from '../../preload/contract/run-log.ts';
import type { RunState } from '../../preload/wire/run-states.ts';
import { found } from './context.ts';
import { asWorkspaceErrors, openReadOnly } from './database.ts';
import { fromJson } from './json.ts';
import { isOwned } from './lock.ts';
import { migrations } from './migrations/index.ts';
import { runLogQueries } from './run-log.ts';

/** A run with its log, as it is now. */
export interface ReadRun {
  readonly name: string;
  readonly state: RunState;
  readonly step: number;
  readonly error: ErrorFacts | null;
  readonly entries: readonly LogEntry[];
  /** True if older entries are left out. */
  readonly more: boolean;
}

/** Reads a run while another process works on it. */
export interface RunReader {
  /** Throws `not-found`. */
  read(id: string): ReadRun;
  /** True while a process owns the workspace. */
  isOwned(): boolean;
  close(): void;
}

type Row = { name: string; method: string; state: RunState; step: number; error: string | null };

/**
 * Opens a workspace that another process owns, for reading alone; null if none owns it. Throws `newer-workspace` for
 * one of another schema.
 */
export function openRunReader(path: string): RunReader | null {
  const folder = resolve(path);
  if (!asWorkspaceErrors(folder, () => isOwned(folder))) return null;
  const file = join(folder, 'workspace.db');
  const db = openReadOnly(file);
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version !== migrations.at(-1)?.version) {
    db.close();
    throw new WhetstoneError('newer-workspace', 'Another version of Whetstone has this workspace open.', {
      where: folder,
      hint: 'Follow the run with that version.',
    });
  }
  const log = runLogQueries({ db, folder, tidy: () => undefined, making: new Set() });
  const run = db.prepare<[string], Row>(
    'select name, method, state, step, error from runs where id = ? and visible = 1',
  );
  const read = db.transaction((id: string): ReadRun => {
    const { name, method, state, step, error } = found(run.get(id), 'run', id);
    const facts = error === null ? null : fromJson<ErrorFacts>(error);
    return { name: name || method, state, step, error: facts, ...log.of(id) };
  });
  return {
    read: (id) => asWorkspaceErrors(file, () => read(id)),
    isOwned: () => isOwned(folder),
    close: () => void db.close(),
  };
}
