import type { Store } from '../../main/store/client.ts';
import { largeIds } from './large-workspace.ts';

const manyRows = Array.from({ length: 3000 }, (_none, row) => row);

/** Large uses of the calls of queries, curation and versions that are not short. */
export function curationCalls(store: () => Store) {
  let turn = 0;
  const beginEdit = async () => {
    await store().client.curation.settle(largeIds.dataset);
    return await store().client.curation.begin(
      largeIds.dataset,
      { event: 'edit', field: 'level', value: null },
      { author: 'me', query: null },
    );
  };
  const edit = async () => {
    const event = await beginEdit();
    await store().client.curation.editRows(largeIds.dataset, event, manyRows, {
      column: 'level',
      value: event,
    });
    await store().client.curation.finish(event);
  };
  const abandon = async () => {
    const event = await beginEdit();
    await store().client.curation.editRows(largeIds.dataset, event, manyRows, {
      column: 'level',
      value: event,
    });
    await store().client.curation.abandon(event);
  };
  return {
    'rows.page': () =>
      store().client.rows.page({
        id: largeIds.dataset,
        query: '"answer 9" right',
        sort: { column: 'length', descending: true },
        offset: 400,
        limit: 500,
      }),
    'sql.columns': () => store().client.sql.columns(largeIds.dataset),
    'rows.facets': () => store().client.rows.facets({ id: largeIds.dataset, query: '-"answer 9"' }),
    'curation.select': () => store().client.curation.select(largeIds.dataset, 'right'),
    'curation.editRows': edit,
    'curation.editEach': async () => {
      const event = await beginEdit();
      const edits = manyRows.map((row) => ({ row, edit: { column: 'level', value: row + event } }));
      await store().client.curation.editEach(largeIds.dataset, event, edits);
      await store().client.curation.finish(event);
    },
    'curation.abandon': abandon,
    'curation.repeat': async () => {
      await edit();
      const { event } = await store().client.curation.startStep(largeIds.dataset, 'undo', 'me');
      for (let last: number | null = -1; last !== null;)
        last = await store().client.curation.repeat(largeIds.dataset, event, last);
      await store().client.curation.finish(event);
    },
    'curation.settle': async () => {
      await abandon();
      await store().client.curation.settle(largeIds.dataset);
    },
    'curation.history': () => store().client.curation.history(largeIds.dataset),
    'curation.row': () => store().client.curation.row(largeIds.dataset, 0),
    'versions.content': () => store().client.versions.content(largeIds.dataset, null),
    'versions.list': () => store().client.versions.list(largeIds.dataset),
    'versions.diff': async () => {
      const content = await store().client.versions.content(largeIds.dataset, null);
      const { name } = await store().client.versions.save(largeIds.dataset, `v${(turn += 1)}`, content, 'me');
      await edit();
      return await store().client.versions.diff(largeIds.dataset, name, null, 0);
    },
  } as const;
}
