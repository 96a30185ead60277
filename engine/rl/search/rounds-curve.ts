/** The curve of a search in rounds: mean and best score of each round over sampled tokens. */
import { clusteredRateInterval, clustersOf, mean, pairedDifference } from '../../evaluate/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { SearchCurve, SearchPoint, SearchStrategy } from '../../schema/search.ts';

/**
 * The answers to one problem, in the order in which they were sampled; every list has one item per answer.
 */
export interface RoundsOf {
  readonly promptId: string;
  readonly round: readonly number[];
  /** Sampled tokens, the end token included. */
  readonly tokens: readonly number[];
  /** Numbers by scorer, from 0 to 1; `verdict` is 1 for a right answer. */
  readonly scores: { readonly [scorer: string]: readonly number[] };
}

/** What a line shows of a problem at a round. */
const measures = {
  mean: { title: 'mean of the round', of: (own: readonly number[]) => mean(own) },
  best: { title: 'best of the round', of: (own: readonly number[]) => Math.max(...own) },
  'best-so-far': {
    title: 'best so far',
    of: (_own: readonly number[], all: readonly number[]) => Math.max(...all),
  },
} as const;

/**
 * Lines by measure and scorer, with a point per round: `n` is the number of answers so far, `tokens` the mean
 * number sampled so far, and `gain` the difference to the first round, paired by problem. Throws
 * `invalid-input` without an answer.
 */
export const roundsCurve = (
  problems: readonly RoundsOf[],
  { step, seed }: { readonly step: number; readonly seed: number },
): SearchCurve => {
  if (problems.length === 0) throw new WhetstoneError('invalid-input', 'There is no search to measure.');
  const rounds = [...new Set(problems.flatMap(({ round }) => round))].sort((a, b) => a - b);
  const prompts = problems.map(({ promptId }) => promptId);
  const upTo = ({ round }: RoundsOf, last: number): number[] =>
    [...round.keys()].filter((at) => round[at] <= last);
  const line = (scorer: string, measure: keyof typeof measures): SearchStrategy => {
    let first: number[] | undefined;
    const points = rounds.map((last): SearchPoint => {
      const values = problems.map((problem) => {
        const all = upTo(problem, last);
        const score = (places: readonly number[]) => places.map((at) => problem.scores[scorer][at]);
        return measures[measure].of(score(all.filter((at) => problem.round[at] === last)), score(all));
      });
      const gain = first && pairedDifference(first, values, prompts, { seed });
      first ??= values;
      return {
        n: upTo(problems[0], last).length,
        tokens: mean(
          problems.map((problem) => upTo(problem, last).reduce((sum, at) => sum + problem.tokens[at], 0)),
        ),
        accuracy: mean(values),
        interval: clusteredRateInterval(clustersOf(prompts, values), { seed }),
        gain: gain ?? null,
        kl: null,
      };
    });
    const isVerdict = scorer === 'verdict';
    return {
      id: isVerdict ? measure : `${measure}/${scorer}`,
      title: isVerdict ? measures[measure].title : `${measures[measure].title}, ${scorer}`,
      scorer: isVerdict ? null : scorer,
      points,
    };
  };
  return {
    step,
    problems: problems.length,
    samples: problems[0].round.length,
    unread: 0,
    strategies: Object.keys(problems[0].scores).flatMap((scorer) =>
      (Object.keys(measures) as (keyof typeof measures)[]).map((measure) => line(scorer, measure)),
    ),
  };
};
