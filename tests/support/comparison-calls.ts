import type { StoreClient } from '../../main/store/client.ts';
import { largeIds } from './large-workspace.ts';

/** Large uses of the calls over scores of evaluations and comparisons of runs that are not short. */
export const comparisonCalls = (store: () => { readonly client: StoreClient }) => ({
  'evaluationScores.answers': () =>
    store().client.evaluationScores.answers({ runId: largeIds.run, attempt: 1, step: 1 }),
  'headToHead.counts': () => store().client.headToHead.counts(largeIds.labelSet),
  'headToHead.equal': () => store().client.headToHead.equal(largeIds.labelSet),
  'samples.problemValues': () => store().client.samples.problemValues(largeIds.run, 1, 1),
  'samples.problemTexts': () => store().client.samples.problemTexts(largeIds.run, ['p1']),
});
