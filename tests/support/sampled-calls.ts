import type { Store } from '../../main/store/client.ts';
import { largeIds } from './large-workspace.ts';

/** One large use of every long call on the samples of runs. */
export const sampledCalls = (store: () => Store) => {
  const client = () => store().client;
  return {
    'samples.query': () =>
      client().samples.query({
        runIds: [largeIds.run],
        purpose: null,
        promptId: null,
        step: null,
        order: 'newest',
        offset: 50_000,
        limit: 500,
      }),
    'samples.commonPrompts': () => client().samples.commonPrompts([largeIds.run], 500),
    'samples.tokens': () => client().samples.tokens('sample-0'),
    'verdicts.turns': () => client().verdicts.turns(largeIds.run),
    'verdicts.replies': () =>
      client().verdicts.replies({ runId: largeIds.run, role: 'policy', from: 0, to: 1_000_000, limit: 512 }),
    'sampled.page': () =>
      client().sampled.page({
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
    'sampled.facets': () => client().sampled.facets({ runIds: [largeIds.run], query: 'wrong' }),
    'sampled.pending': () => client().sampled.pending([largeIds.run]),
    'sampled.starts': () => client().sampled.starts(largeIds.run),
    'sampled.origin': () => client().sampled.origin('sample-0'),
    'sampled.nextPart': () => client().sampled.nextPart(largeIds.run),
    'sampled.fillTexts': async () => {
      const part = await client().sampled.nextPart(largeIds.run);
      if (part) await client().sampled.putPart(part);
      await client().sampled.fillTexts(largeIds.run);
    },
  };
};
