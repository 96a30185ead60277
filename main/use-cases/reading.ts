import { WhetstoneError } from '../../engine/common/errors.ts';
import type { QueryRow } from '../../preload/contract/rows.ts';
import type { StoreClient } from '../store/client.ts';

/** Rows read at once. */
const some = 1000;

/**
 * The rows of a dataset that match a query, in their order, some at a time. Throws `cancelled` if the signal
 * aborts.
 */
export async function* rowsMatching(
  store: StoreClient,
  id: string,
  query: string,
  signal: AbortSignal,
): AsyncGenerator<QueryRow[]> {
  for (let offset = 0, isMore = true; isMore;) {
    if (signal.aborted) throw cancelled();
    const page = await store.rows.page({ id, query, sort: null, offset, limit: some });
    offset += page.rows.length;
    isMore = page.more && page.rows.length > 0;
    if (page.rows.length > 0) yield page.rows;
  }
}

/** The number of rows that match. */
export const countMatching = async (store: StoreClient, id: string, query: string): Promise<number> =>
  (await store.curation.select(id, query)).count;

export const cancelled = (): WhetstoneError =>
  new WhetstoneError('cancelled', 'The work was cancelled, and nothing of it was stored.');

/** Seconds that the rest of work will take at its pace so far; null at its start. */
export function timer(): (share: number) => number | null {
  const start = performance.now();
  return (share) => {
    const seconds = (performance.now() - start) / 1000;
    return share > 0 && seconds > 0.5 ? (seconds / share) * (1 - share) : null;
  };
}
