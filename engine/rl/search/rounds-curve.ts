/** The curve of a search in rounds: mean and best score of each round over sampled tokens. */
import { bestOfN, clusteredRateInterval, clustersOf, mean, pairedDifference } from '../../evaluate/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { SearchCurve, SearchStrategy } from '../../schema/search.ts';

/**
 * The answers to one problem, in the order in which they were sampled; every list has one item per answer.
 */
export interface RoundsOf {
  readonly promptId: string;
  /** −1 for an answer to the plain prompt beside the rounds. */
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
 * Lines of the plain answers, those beside the rounds and the first round's, at as many answers as rounds
 * have.
 */
const plain = {
  'plain-mean': {
    title: 'mean of plain answers',
    of: (scores: readonly number[], counts: readonly number[]) => counts.map(() => mean(scores)),
  },
  'plain-best': {
    title: 'best of n plain answers',
    of: (scores: readonly number[], counts: readonly number[]) =>
      bestOfN([{ proxy: scores, gold: scores }], counts).map(({ gold }) => gold[0]),
  },
} as const;

/** A search, as its lines read it. */
interface View {
  readonly problems: readonly RoundsOf[];
  readonly rounds: readonly number[];
  /** Answers to a problem up to each round. */
  readonly counts: readonly number[];
  readonly seed: number;
}

/** The line of a measure: `values` has a list for each round, with a number for each problem. */
const lineOf = (
  { problems, counts, seed }: View,
  [scorer, id, title]: readonly [scorer: string, id: string, title: string],
  values: readonly (readonly number[])[],
  tokens: (at: number) => number,
): SearchStrategy => {
  const prompts = problems.map(({ promptId }) => promptId);
  const isVerdict = scorer === 'verdict';
  return {
    id: isVerdict ? id : `${id}/${scorer}`,
    title: isVerdict ? title : `${title}, ${scorer}`,
    scorer: isVerdict ? null : scorer,
    points: values.map((own, at) => ({
      n: counts[at],
      tokens: tokens(at),
      accuracy: mean(own),
      interval: clusteredRateInterval(clustersOf(prompts, own), { seed }),
      gain: at === 0 ? null : pairedDifference(values[0], own, prompts, { seed }),
      kl: null,
    })),
  };
};

const placesOf = ({ round }: RoundsOf, is: (round: number) => boolean): number[] =>
  [...round.keys()].filter((at) => is(round[at]));
const upTo = (problem: RoundsOf, last: number): number[] =>
  placesOf(problem, (round) => round >= 0 && round <= last);

const ofRounds = (view: View, scorer: string, measure: keyof typeof measures): SearchStrategy => {
  const { problems, rounds } = view;
  const values = rounds.map((last) =>
    problems.map((problem) => {
      const score = (places: readonly number[]) => places.map((at) => problem.scores[scorer][at]);
      return measures[measure].of(
        score(placesOf(problem, (round) => round === last)),
        score(upTo(problem, last)),
      );
    }),
  );
  return lineOf(view, [scorer, measure, measures[measure].title], values, (at) =>
    mean(
      problems.map((problem) =>
        upTo(problem, rounds[at]).reduce((sum, each) => sum + problem.tokens[each], 0),
      ),
    ),
  );
};

const ofPlain = (view: View, scorer: string, measure: keyof typeof plain): SearchStrategy => {
  const { problems, counts } = view;
  const places = problems.map((problem) => placesOf(problem, (round) => round <= 0));
  const each = problems.map((problem, p) =>
    plain[measure].of(
      places[p].map((at) => problem.scores[scorer][at]),
      counts,
    ),
  );
  const tokens = mean(problems.map((problem, p) => mean(places[p].map((at) => problem.tokens[at]))));
  const values = counts.map((_n, at) => each.map((own) => own[at]));
  return lineOf(view, [scorer, measure, plain[measure].title], values, (at) => counts[at] * tokens);
};

/**
 * Lines by measure and scorer, with a point per round: `n` is the number of answers so far, `tokens` the mean
 * number sampled so far, and `gain` the difference to the first round, paired by problem. With plain answers
 * beside the rounds, lines of these too: the mean of all, and the expected best of n. Throws `invalid-input`
 * without an answer.
 */
export const roundsCurve = (
  problems: readonly RoundsOf[],
  { step, seed }: { readonly step: number; readonly seed: number },
): SearchCurve => {
  if (problems.length === 0) throw new WhetstoneError('invalid-input', 'There is no search to measure.');
  const rounds = [...new Set(problems.flatMap(({ round }) => round))]
    .filter((each) => each >= 0)
    .sort((a, b) => a - b);
  const view = { problems, rounds, seed, counts: rounds.map((last) => upTo(problems[0], last).length) };
  const isBeside = problems.some(({ round }) => round.includes(-1));
  const keys = <K extends string>(of: { readonly [key in K]: unknown }) => Object.keys(of) as K[];
  return {
    step,
    problems: problems.length,
    samples: problems[0].round.length,
    unread: 0,
    strategies: keys(problems[0].scores).flatMap((scorer) => [
      ...keys(measures).map((measure) => ofRounds(view, scorer, measure)),
      ...(isBeside ? keys(plain).map((measure) => ofPlain(view, scorer, measure)) : []),
    ]),
  };
};
