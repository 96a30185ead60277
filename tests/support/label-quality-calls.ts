import type { Store } from '../../main/store/client.ts';
import { largeIds } from './large-workspace.ts';

/** One large use of every call about the quality of labels that is not short. */
export const labelQualityCalls = (store: () => Store) => ({
  'labelQuality.facts': () => store().client.labelQuality.facts(largeIds.labelSet),
  'labelQuality.repeats': () => store().client.labelQuality.repeats(largeIds.labelSet),
  'labelQuality.gold': () => store().client.labelQuality.gold(largeIds.labelSet),
  'labelQuality.goldFromMarks': () => store().client.labelQuality.goldFromMarks(largeIds.labelSet),
  'labelQuality.settle': () => store().client.labelQuality.settle(largeIds.labelSet, [], 0),
});
