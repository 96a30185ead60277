import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { RowSource } from '../../../preload/contract/deriving.ts';
import { parseQuery, type QueryNode } from '../../../preload/wire/query.ts';
import type { StoreClient } from '../../store/client.ts';

/** The rows of a source, rising, as they were after a step. */
export interface SourceRows {
  readonly datasetId: string;
  readonly name: string;
  readonly sequence: number;
  readonly rows: Uint32Array;
}

const some = 2000;

/** Terms that mean the history or the notes of the present rows, which an older version does not have. */
function presentTerm(node: QueryNode): string | null {
  switch (node.kind) {
    case 'all':
    case 'any':
      return node.of.map(presentTerm).find((term) => term !== null) ?? null;
    case 'not':
      return presentTerm(node.of);
    case 'is':
      return node.state === 'included' ? null : node.term;
    case 'value':
    case 'has':
      return node.column.toLowerCase() === 'note' ? node.term : null;
    default:
      return null;
  }
}

/**
 * A copy of a dataset as it was after a step, with the same row numbers; `use` gets its id, and it is
 * discarded after that.
 */
export async function withCopy<T>(
  store: StoreClient,
  { id, sequence }: { readonly id: string; readonly sequence: number },
  signal: AbortSignal,
  use: (copyId: string) => Promise<T>,
): Promise<T> {
  const { source } = await store.datasets.get(id);
  const rows = await store.deriving.select(id, sequence, '');
  const copy = await store.deriving.stage('copy', source);
  try {
    for (let at = 0; at < rows.length; at += some) {
      if (signal.aborted) throw cancelled();
      const part = rows.slice(at, at + some);
      const draws = { from: new Uint32Array(part.length), rows: part };
      await store.deriving.copy(copy, [{ id, sequence }], draws, {
        columns: null,
        marks: true,
        numbers: true,
        label: null,
      });
    }
    return await use(copy);
  } finally {
    await store.deriving.discard(copy);
  }
}

export const cancelled = (): WhetstoneError =>
  new WhetstoneError('cancelled', 'This was cancelled, and no part of it was kept.');

/**
 * The rows of a source. `sequence`: as they were after this step, instead of the source's version. Throws
 * `not-found`; `invalid-input` with the faulty term of the query.
 */
export async function rowsOf(
  store: StoreClient,
  { datasetId, query, version }: RowSource,
  signal: AbortSignal,
  sequence?: number,
): Promise<SourceRows> {
  const state = await store.deriving.state(datasetId, version ?? null);
  const at = sequence ?? state.sequence;
  const now = await store.deriving.state(datasetId, null);
  const answer = { datasetId, name: state.name, sequence: at };
  if (at === now.sequence || query.trim() === '')
    return { ...answer, rows: await store.deriving.select(datasetId, at, query) };
  const term = presentTerm(parseQuery(query));
  if (term !== null)
    throw new WhetstoneError('invalid-input', `'${term}' asks about the rows as they are now.`, {
      where: term,
      hint: 'Leave it out, or take the rows as they are now instead of a version.',
    });
  const rows = await withCopy(store, { id: datasetId, sequence: at }, signal, (copy) =>
    store.deriving.select(copy, null, query),
  );
  return { ...answer, rows };
}
