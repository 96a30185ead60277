import type { StoreClient } from '../../main/store/client.ts';
import { largeIds } from './large-workspace.ts';

/** Large uses of the calls over scores of evaluations and comparisons of runs that are not short. */
export const comparisonCalls = (store: () => { readonly client: StoreClient }) => ({
  'evaluationScores.answers': () =>
    store().client.evaluationScores.answers({ runId: largeIds.run, attempt: 1, step: 1 }),
  'headToHead.counts': () => store().client.headToHead.counts(largeIds.labelSet),
  'headToHead.equal': () => store().client.headToHead.equal(largeIds.labelSet),
  'redTeam.attacks': () => store().client.redTeam.attacks(largeIds.run, 'verifier'),
  'runLog.of': () => store().client.runLog.of(largeIds.run),
  'travel.prompts': () => store().client.travel.prompts([largeIds.run], 'a', 200),
  'travel.answers': () => store().client.travel.answers([largeIds.run], 'p1', 16),
  'samples.problemValues': () => store().client.samples.problemValues(largeIds.run, 1, 1),
  'samples.problemTexts': () => store().client.samples.problemTexts(largeIds.run, ['p1']),
});
