import type { Store } from '../../main/store/client.ts';
import { largeIds } from './large-workspace.ts';

/** Large uses of the calls of judges that are not short. */
export const judgeCalls = (store: () => Store) => ({
  'labelJudge.features': () => store().client.labelJudge.features(largeIds.labelSet, 'source', -1),
  'labelJudge.labels': () => store().client.labelJudge.labels(largeIds.labelSet, 0, 1e9),
  'labelJudge.unlabeled': () => store().client.labelJudge.unlabeled(largeIds.labelSet, -1, 20_000),
  'disagreements.count': () => store().client.disagreements.count(largeIds.labelSet),
  'disagreements.next': () =>
    store().client.disagreements.next({
      setId: largeIds.labelSet,
      labeler: 'script',
      after: ['a', 'b'],
      count: 50,
    }),
});
