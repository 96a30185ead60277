import type { StoreClient } from '../../main/store/client.ts';
import { largeIds } from './large-workspace.ts';

/** Large uses of the calls over sampled answers and their scores that are not short. */
export const answerCalls = (store: () => { readonly client: StoreClient }) => ({
  'samples.query': () =>
    store().client.samples.query({
      runIds: [largeIds.run],
      purpose: null,
      promptId: null,
      step: null,
      order: 'newest',
      offset: 50_000,
      limit: 500,
    }),
  'sampled.page': () =>
    store().client.sampled.page({
      runIds: [largeIds.run],
      query: 'completion step>10',
      sort: { by: 'verifier', descending: true },
      view: 'answers',
      promptId: null,
      equalTo: null,
      ids: null,
      asOf: null,
      offset: 50,
      limit: 500,
    }),
  'sampled.facets': () => store().client.sampled.facets({ runIds: [largeIds.run], query: 'wrong' }),
  'sampled.pending': () => store().client.sampled.pending([largeIds.run]),
  'sampled.origin': () => store().client.sampled.origin('sample-0'),
  'sampled.nextPart': () => store().client.sampled.nextPart(largeIds.run),
  'sampled.putPart': async () => {
    const part = await store().client.sampled.nextPart(largeIds.run);
    if (part) await store().client.sampled.putPart(part);
  },
  'sampled.fillTexts': async () => {
    const part = await store().client.sampled.nextPart(largeIds.run);
    if (part) await store().client.sampled.putPart(part);
    await store().client.sampled.fillTexts(largeIds.run);
  },
  'samples.commonPrompts': () => store().client.samples.commonPrompts([largeIds.run], 500),
  'samples.tokens': () => store().client.samples.tokens('sample-0'),
  'evaluationScores.means': () =>
    store().client.evaluationScores.means({ runId: largeIds.run, attempt: 1, step: 1 }),
  'evaluationScores.answers': () =>
    store().client.evaluationScores.answers({ runId: largeIds.run, attempt: 1, step: 1 }),
  'headToHead.counts': () => store().client.headToHead.counts(largeIds.labelSet),
  'headToHead.equal': () => store().client.headToHead.equal(largeIds.labelSet),
  'samples.problemScores': () => store().client.samples.problemScores(largeIds.run, 1, 1),
  'samples.problemValues': () => store().client.samples.problemValues(largeIds.run, 1, 1),
  'samples.problemTexts': () => store().client.samples.problemTexts(largeIds.run, ['p1']),
});
