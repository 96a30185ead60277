import type { Handlers } from '../../preload/contract/define.ts';
import type { IndexProgress, samples } from '../../preload/contract/samples.ts';
import type { Services } from '../services/services.ts';
import { indexSamples } from '../use-cases/sample-index.ts';
import { sampleTokens } from '../use-cases/sample-tokens.ts';
import { worked } from './stream.ts';

export const samplesHandlers = (services: Services): Handlers<typeof samples> => ({
  page: (input) => services.store.sampled.page(input),
  facets: (input) => services.store.sampled.facets(input),
  async pending({ runIds }) {
    const { answers, texts } = await services.store.sampled.pending(runIds);
    return { answers, texts };
  },
  tokens: ({ id, checkpointId }) => sampleTokens(services, id, checkpointId),
  index: (input, signal) =>
    worked<IndexProgress>(signal, (stop, push) => indexSamples(services, input, stop, push)),
});
