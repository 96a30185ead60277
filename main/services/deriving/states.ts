import type { DatasetState } from '../../../preload/contract/deriving.ts';
import type { StoreClient } from '../../store/client.ts';

/**
 * A dataset as it is now, or as it was in a version, with the hash of its rows: read once, then kept. Throws
 * `not-found`, and `conflict` while rows are changed.
 */
export async function stateOf(store: StoreClient, id: string, version?: string): Promise<DatasetState> {
  const { content, ...state } = await store.deriving.state(id, version ?? null);
  if (content) return { ...state, hash: content.hash, rows: content.rows };
  const read = await store.versions.content(id, state.sequence);
  const saved = await store.deriving.remember(id, read);
  return { ...state, version: state.version ?? saved, hash: read.hash, rows: read.rows };
}
