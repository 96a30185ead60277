import { Recipe } from '../../preload/contract/deriving.ts';
import { SplitSpec } from '../../preload/contract/splits.ts';
import type { Store } from '../../main/store/client.ts';
import { largeIds } from './large-workspace.ts';

const rows = Uint32Array.from({ length: 3000 }, (_none, row) => row);
const recipe = Recipe.parse({ kind: 'query', from: { datasetId: largeIds.dataset } });
const spec = SplitSpec.parse({ parts: [{ name: 'train', weight: 1 }], stratify: 'mark' });

/** Large uses of the calls of derived datasets, splits and lineage that are not short. */
export const derivingCalls = (store: () => Store) =>
  ({
    'deriving.select': () => store().client.deriving.select(largeIds.dataset, null, 'right'),
    'deriving.values': () => store().client.deriving.values(largeIds.dataset, 0, rows, 'mark'),
    'deriving.refuseUnknown': () => store().client.deriving.refuseUnknown(largeIds.dataset, 0, []),
    'deriving.copy': async () => {
      const { client } = store();
      const id = await client.deriving.stage('copy', 'test');
      try {
        await client.deriving.copy(
          id,
          [{ id: largeIds.dataset, sequence: 0 }],
          { from: new Uint32Array(rows.length), rows },
          { columns: null, marks: true, label: null },
        );
      } finally {
        await client.deriving.discard(id);
      }
    },
    'deriving.findable': async () => {
      const { client } = store();
      const id = await client.deriving.stage('copy', 'test');
      try {
        await client.deriving.copy(
          id,
          [{ id: largeIds.dataset, sequence: 0 }],
          { from: new Uint32Array(rows.length), rows },
          { columns: null, marks: true, label: null },
        );
        await client.deriving.findable(id);
      } finally {
        await client.deriving.discard(id);
      }
    },
    'deriving.finish': async () => {
      const { client } = store();
      const id = await client.deriving.stage('copy', 'test');
      await client.deriving.copy(
        id,
        [{ id: largeIds.dataset, sequence: 0 }],
        { from: new Uint32Array(rows.length), rows },
        { columns: null, marks: false, label: null },
      );
      await client.deriving.finish(id, { recipe, parents: [], why: 'a copy', author: 'me' });
      await client.datasets.remove(id);
    },
    'splits.list': () => store().client.splits.list(largeIds.dataset),
    'splits.assign': () => store().client.splits.assign(largeIds.dataset, spec),
    'splits.leakage': async () => {
      const { client } = store();
      await client.curation.settle(largeIds.dataset);
      await client.splits.apply(
        largeIds.dataset,
        spec,
        await client.splits.assign(largeIds.dataset, spec),
        'me',
      );
      return await client.splits.leakage(largeIds.dataset, spec.name);
    },
    'lineage.of': () => store().client.lineage.of('dataset', largeIds.dataset),
    'lineageGraph.graph': () =>
      store().client.lineageGraph.graph('dataset', largeIds.dataset, { steps: 8, each: 100 }),
  }) as const;
