import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Workspace } from '../../preload/contract/workspaces.ts';
import { openStore, type StoreClient } from './client.ts';
import { asWorkspaceErrors } from './database.ts';
import { lockWorkspace } from './lock.ts';
import { folderMode, isOfWorkspace, makePrivate } from './private.ts';

/** An open workspace folder: `workspace.db`, `artifacts/`, `lock`. */
export interface OpenFolder {
  readonly facts: Workspace;
  readonly folder: string;
  readonly store: StoreClient;
  close(): Promise<void>;
}

/** The absolute path of an existing or new folder. Throws `invalid-input` if a file has this name. */
function folderAt(path: string): string {
  const folder = resolve(path);
  if (existsSync(folder) && !statSync(folder).isDirectory()) {
    throw new WhetstoneError('invalid-input', 'This is a file; a workspace is a folder.', {
      where: folder,
      hint: 'Choose a folder.',
    });
  }
  return folder;
}

/**
 * Creates a folder with an empty workspace. Throws `conflict` if it has one, and `invalid-input` if it has
 * other files or a file is in the way.
 */
export async function createFolder(path: string, name = ''): Promise<OpenFolder> {
  const folder = folderAt(path);
  if (existsSync(join(folder, 'workspace.db'))) {
    throw new WhetstoneError('conflict', 'This folder already has a workspace.', {
      where: folder,
      hint: 'Open it, or choose an empty folder.',
    });
  }
  const others = asWorkspaceErrors(folder, () => (existsSync(folder) ? readdirSync(folder) : [])).filter(
    (file) => file !== 'artifacts' && file !== 'lock',
  );
  if (others.length > 0) {
    throw new WhetstoneError('invalid-input', 'This folder holds other files.', {
      where: folder,
      hint: 'Choose an empty folder.',
    });
  }
  asWorkspaceErrors(folder, () => {
    mkdirSync(dirname(folder), { recursive: true });
    mkdirSync(join(folder, 'artifacts'), { recursive: true, mode: folderMode });
  });
  return openIt(folder, true, name);
}

/**
 * Opens an existing workspace. Throws `not-found`, `conflict` (open in another process), `newer-workspace`,
 * `invalid-input`.
 */
export async function openFolder(path: string, options: { maxPages?: number } = {}): Promise<OpenFolder> {
  const folder = folderAt(path);
  if (!existsSync(join(folder, 'workspace.db')))
    throw new WhetstoneError('not-found', 'There is no workspace in this folder.', {
      where: folder,
      hint: 'Create one there, or choose another folder.',
    });
  return openIt(folder, false, '', options);
}

async function openIt(
  folder: string,
  create: boolean,
  name: string,
  { maxPages }: { maxPages?: number } = {},
): Promise<OpenFolder> {
  const unlock = asWorkspaceErrors(folder, () => lockWorkspace(folder));
  try {
    // before opening the database: SQLite copies the file's permissions to its other files
    asWorkspaceErrors(folder, () => makePrivate(folder, isOfWorkspace));
    const store = await openStore({ folder, create, maxPages });
    try {
      const facts = await store.client.workspace.facts(name);
      await store.client.runs.interruptLeftovers();
      return {
        facts,
        folder,
        store: store.client,
        async close() {
          try {
            await store.close();
          } finally {
            unlock();
          }
        },
      };
    } catch (error) {
      await store.close();
      throw error;
    }
  } catch (error) {
    unlock();
    throw error;
  }
}
