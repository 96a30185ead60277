import type { Store } from '../../main/store/client.ts';
import { largeIds } from './large-workspace.ts';

/** One large use of every call about the quality of labels that is not short. */
export const labelQualityCalls = (store: () => Store) => ({
  'labelQuality.labels': () => store().client.labelQuality.labels(largeIds.labelSet, -1),
  'labelQuality.repeats': () => store().client.labelQuality.repeats(largeIds.labelSet, -1),
  'labelQuality.gold': () => store().client.labelQuality.gold(largeIds.labelSet, -1),
  'labelQuality.goldFromMarks': () => store().client.labelQuality.goldFromMarks(largeIds.labelSet),
  'labelQuality.settle': () =>
    store().client.labelQuality.settle(
      largeIds.labelSet,
      Array.from({ length: 50_000 }, (_none, i) => ({
        pairId: `${largeIds.labelSet}-${i}`,
        verdict: 'a',
        posterior: { a: 0.9, b: 0.1 },
      })),
      Number.MAX_SAFE_INTEGER,
    ),
});
