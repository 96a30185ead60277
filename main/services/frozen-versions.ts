import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreClient } from '../store/client.ts';

/** A file with the rows of a version, by its path in the workspace. */
export interface Frozen {
  readonly hash: string;
  readonly path: string;
}

/** Most files that are known at a time. */
const most = 64;
const known = new WeakMap<StoreClient, Map<string, Promise<Frozen>>>();

/**
 * The file of an older version, which takes a copy of the dataset to write: it is written once for the checks of
 * a form and the launch after them, as long as the file exists. `key`: the version, the present step, and what is
 * written of its rows.
 */
export async function frozenOnce(
  { store, folder }: { readonly store: StoreClient; readonly folder: string },
  key: readonly unknown[],
  write: () => Promise<Frozen>,
): Promise<Frozen> {
  const files = known.get(store) ?? new Map<string, Promise<Frozen>>();
  known.set(store, files);
  const name = JSON.stringify(key);
  const before = await files.get(name)?.catch(() => null);
  if (before && existsSync(join(folder, before.path))) return before;
  const made = write();
  files.set(name, made);
  if (files.size > most) files.delete(files.keys().next().value ?? name);
  try {
    return await made;
  } catch (error) {
    files.delete(name);
    throw error;
  }
}
