import { join } from 'node:path';
import type { ModelPlace } from '../../engine/schema/messages.ts';
import type { EngineHost } from '../engine-host/host.ts';
import type { StoreClient } from '../store/client.ts';

export interface ModelSources {
  readonly store: Pick<StoreClient, 'models'>;
  readonly engine: Pick<EngineHost, 'call'>;
}

/**
 * Opens a model of the workspace. Throws `conflict` if its folder's files differ from those that were added:
 * runs must not silently use other files. Unchanged files are not read again. Throws `not-found` if there is
 * no such model, or no folder.
 */
export async function openedModel(
  { store, engine }: ModelSources,
  id: string,
): Promise<ModelPlace & { readonly hash: string }> {
  const [{ folder, hash, adapter }, files] = [await store.models.get(id), await store.models.files(id)];
  const place = { folder, ...(adapter && { base: { path: adapter.base, hash: adapter.baseHash } }) };
  const now = await engine.call('recheck', { ...place, hash, files });
  if (JSON.stringify(now) !== JSON.stringify(files)) await store.models.setFiles(id, now);
  return { ...place, hash };
}

/** Location of a listed model or a checkpoint of the workspace. */
export const placeOf = async (
  {
    store,
    engine,
    folder,
  }: {
    readonly store: Pick<StoreClient, 'models' | 'checkpoints'>;
    readonly engine: Pick<EngineHost, 'call'>;
    readonly folder: string;
  },
  { kind, id }: { readonly kind: 'model' | 'checkpoint'; readonly id: string },
): Promise<ModelPlace & { readonly hash: string }> => {
  if (kind === 'model') return await openedModel({ store, engine }, id);
  const { path, hash } = await store.checkpoints.get(id);
  return { folder: join(folder, path), hash };
};
