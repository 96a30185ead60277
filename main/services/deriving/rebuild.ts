import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { DatasetState, RebuildProgress } from '../../../preload/contract/deriving.ts';
import type { StoreClient } from '../../store/client.ts';
import { copyRows, type OnCopying } from './make.ts';
import { draw } from './plan.ts';

type Rebuilt = Extract<RebuildProgress, { state: 'done' }>['rebuilt'];

/** Throws `not-found` with the names of the parents that were removed. */
async function refuseMissing(store: StoreClient, parents: readonly DatasetState[]): Promise<void> {
  const missing: string[] = [];
  for (const { datasetId, name } of parents) {
    try {
      await store.datasets.get(datasetId);
    } catch (error) {
      if (WhetstoneError.from(error).kind !== 'not-found') throw error;
      missing.push(`'${name}'`);
    }
  }
  if (missing.length > 0)
    throw new WhetstoneError(
      'not-found',
      `It was made from ${missing.join(' and ')}, which ${missing.length === 1 ? 'is' : 'are'} no longer in the workspace.`,
      {
        where: missing.join(', '),
        hint: 'Without its parents it cannot be made again; its rows are all here.',
      },
    );
}

/**
 * Makes a derived dataset again from its recipe and its parents as they were, and compares the hash of its
 * rows; stores nothing. Throws `not-found` if it has no recipe, or a parent was removed.
 */
export async function rebuildDataset(
  store: StoreClient,
  id: string,
  signal: AbortSignal,
  onCopying: OnCopying,
): Promise<Rebuilt> {
  const { name, source } = await store.datasets.get(id);
  const stored = await store.deriving.recipe(id);
  if (!stored)
    throw new WhetstoneError('not-found', `'${name}' was imported, so it has no recipe of other datasets.`, {
      where: source,
      hint: 'Import its file again, or rebuild one of its versions.',
    });
  const { recipe, parents } = stored;
  await refuseMissing(store, parents);
  const drawn = await draw(store, recipe, signal, parents);
  const copy = await store.deriving.stage('copy', source);
  try {
    await copyRows(store, copy, drawn, signal, onCopying);
    const { hash, rows } = await store.deriving.copied(copy);
    return { hash, rows, isSame: hash === stored.hash };
  } finally {
    await store.deriving.discard(copy);
  }
}
