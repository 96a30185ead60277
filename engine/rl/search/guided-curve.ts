/** The curve of searches that grow their answers: accuracy over sampled tokens, a point per size. */
import { clusteredRateInterval, clustersOf, mean } from '../../evaluate/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { SearchCurve } from '../../schema/search.ts';

/** One search for an answer to a problem. */
export interface GuidedSearch {
  readonly promptId: string;
  /** Candidates of a round. */
  readonly size: number;
  /** Sampled tokens, those of dropped candidates included. */
  readonly tokens: number;
  /** 1 if the answer that it ends with is right. */
  readonly correct: number;
}

/** Accuracy and mean tokens at each size. Throws `invalid-input` without a search. */
export const guidedCurve = (
  searches: readonly GuidedSearch[],
  {
    step,
    seed,
    line = { id: 'beam', title: 'beam search' },
  }: {
    readonly step: number;
    readonly seed: number;
    readonly line?: { readonly id: string; readonly title: string };
  },
): SearchCurve => {
  if (searches.length === 0) throw new WhetstoneError('invalid-input', 'There is no search to measure.');
  const bySize = [...Map.groupBy(searches, ({ size }) => size)].sort(([a], [b]) => a - b);
  return {
    step,
    problems: bySize[0][1].length,
    samples: bySize[bySize.length - 1][0],
    unread: 0,
    strategies: [
      {
        ...line,
        scorer: null,
        points: bySize.map(([n, own]) => {
          const right = own.map(({ correct }) => correct);
          const prompts = own.map(({ promptId }) => promptId);
          return {
            n,
            tokens: mean(own.map(({ tokens }) => tokens)),
            accuracy: mean(right),
            interval: clusteredRateInterval(clustersOf(prompts, right), { seed }),
            gain: null,
            kl: null,
          };
        }),
      },
    ],
  };
};
