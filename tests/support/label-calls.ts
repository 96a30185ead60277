import type { Store } from '../../main/store/client.ts';
import { largeIds } from './large-workspace.ts';

const positions = (count: number): number[] => Array.from({ length: count }, (_none, at) => at);

/** Large uses of the calls on many labels that are not short. */
export function labelCalls(store: () => Store) {
  const setId = largeIds.labelSet;
  const bulk = { setId, labeler: 'many', choice: 'skip' } as const;
  return {
    'labelBulk.find': () => store().client.labelBulk.find(setId, 'me', 'x', 'all'),
    'labelBulk.items': () => store().client.labelBulk.items(setId, 'me', positions(200)),
    'labelBulk.decide': () => store().client.labelBulk.decide({ ...bulk, positions: positions(1000) }),
    'labelBulk.undo': async () => {
      const { sequences } = await store().client.labelBulk.decide({ ...bulk, positions: positions(1000) });
      return await store().client.labelBulk.undo(setId, 'many', sequences);
    },
    'labelImport.plan': () => store().client.labelImport.plan(setId, []),
    'labelImport.store': async () => {
      const { pairs } = await store().client.labelSets.pairs(setId, 0, 1000);
      const label = { verdict: 'skip', value: null, labeler: 'imported', at: 1, rationale: '' } as const;
      const additions = pairs.map(({ pairId }, line) => ({ ...label, pairId, line }));
      return await store().client.labelImport.store(setId, additions, 'labels.json');
    },
    'labelImport.list': () => store().client.labelImport.list(setId),
    'labelImport.remove': async () => {
      const { pairs } = await store().client.labelSets.pairs(setId, 0, 1000);
      const label = { verdict: 'tie', value: null, labeler: 'taken back', at: 1, rationale: '' } as const;
      const additions = pairs.map(({ pairId }, line) => ({ ...label, pairId, line }));
      const id = await store().client.labelImport.store(setId, additions, 'labels.json');
      return await store().client.labelImport.remove(setId, id);
    },
    'labelUsage.ofSet': () => store().client.labelUsage.ofSet(setId),
    'judgedAnswers.of': () => store().client.judgedAnswers.of('Which?', 'an answer'),
    'judgedAnswers.page': () => store().client.judgedAnswers.page(setId, null),
  };
}
