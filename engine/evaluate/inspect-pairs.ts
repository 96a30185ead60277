import type { Interval, RewardInspection } from '../schema/evaluation.ts';
import type { Verdict } from '../schema/preference.ts';
import { leastSquaresLine, pearson } from './association.ts';
import { expectedCalibrationError, reliability, sigmoid } from './calibration.ts';
import { clusteredRateInterval, clustersOf } from './intervals.ts';
import { binEdges, binOf, histogram, mean } from './moments.ts';

/** An answer with its score. `text` identifies it; `tokens` is its length; `correct` is null if unknown. */
export interface ScoredAnswer {
  readonly text: string;
  readonly score: number;
  readonly tokens: number;
  readonly correct: boolean | null;
}

/** A held-out labeled pair with the model's scores. */
export interface ScoredPair {
  readonly promptId: string;
  readonly a: ScoredAnswer;
  readonly b: ScoredAnswer;
  readonly verdict: Verdict;
}

/** A pair with a winner: the preferred and the rejected answer. */
interface Decided {
  readonly promptId: string;
  readonly chosen: ScoredAnswer;
  readonly rejected: ScoredAnswer;
}
type Side = Pick<ScoredAnswer, 'tokens' | 'correct'>;
/** The property by which pairs are put into slices. */
export interface Sides {
  readonly chosen: Side;
  readonly rejected: Side;
}

const BINS = 20;
/** Lengths within a tenth of the longer one count as similar. */
const SIMILAR = 0.1;

const lengthGap = ({ chosen, rejected }: Sides): number =>
  Math.abs(chosen.tokens - rejected.tokens) / Math.max(chosen.tokens, rejected.tokens, 1);
const markGap = ({ chosen, rejected }: Sides): boolean | null =>
  chosen.correct === null || rejected.correct === null ? null : chosen.correct !== rejected.correct;

/** The slices of every inspection, by correctness and length. */
export const inspectedSlices: readonly {
  readonly name: string;
  readonly holds: (pair: Sides) => boolean;
}[] = [
  { name: 'differ in correctness', holds: (pair) => markGap(pair) === true },
  { name: 'equal in correctness', holds: (pair) => markGap(pair) === false },
  { name: 'similar length (within 10 %)', holds: (pair) => lengthGap(pair) <= SIMILAR },
  { name: 'different length', holds: (pair) => lengthGap(pair) > SIMILAR },
  { name: 'longer one preferred', holds: ({ chosen, rejected }) => chosen.tokens > rejected.tokens },
  { name: 'shorter one preferred', holds: ({ chosen, rejected }) => chosen.tokens < rejected.tokens },
];

/** 1 if `high` exceeds `low`, one half for a tie: the expected accuracy of a rule that guesses on ties. */
const wins = (high: number, low: number): number => (high > low ? 1 : high === low ? 0.5 : 0);

/** Log-odds of a probability, which float32 may have rounded to 0 or 1. */
export const logOdds = (p: number): number => {
  const inside = Math.min(1 - 2 ** -24, Math.max(2 ** -24, p));
  return Math.log(inside / (1 - inside));
};

/**
 * Inspects a reward model on held-out pairs with verdict `a` or `b` (ties and skips carry no accuracy and
 * are left out). Accuracy counts equal scores as one half, and so do the length baselines with equal
 * lengths. Calibration uses the confidence of the side that the model prefers, σ(|margin|), in 10
 * equal-width bins of 0.5–1, so the arbitrary order of a and b does not matter. If scores are `probable`,
 * the probabilities p of answers to be right, margins are of their log-odds: given that exactly one of two
 * answers is right, it is a with p_a(1 − p_b) / (p_a(1 − p_b) + p_b(1 − p_a)). Correlation and fit run over
 * distinct answers; an undefined correlation is 0. Intervals resample whole prompts.
 */
export const inspectPairs = (
  pairs: readonly ScoredPair[],
  options: { readonly seed?: number; readonly probable?: boolean } = {},
): RewardInspection => {
  const decided = pairs.flatMap(({ promptId, a, b, verdict }): Decided[] =>
    verdict === 'a'
      ? [{ promptId, chosen: a, rejected: b }]
      : verdict === 'b'
        ? [{ promptId, chosen: b, rejected: a }]
        : [],
  );
  const answers = distinctAnswers(pairs);
  const margins = decided.map(({ chosen, rejected }) => chosen.score - rejected.score);
  const hits = margins.map((margin) => wins(margin, 0));
  const odds = options.probable
    ? decided.map(({ chosen, rejected }) => logOdds(chosen.score) - logOdds(rejected.score))
    : margins;
  const bins = reliability(
    odds.map((margin) => sigmoid(Math.abs(margin))),
    hits,
    10,
    [0.5, 1],
  );
  const [tokens, scores] = [answers.map((answer) => answer.tokens), answers.map((answer) => answer.score)];
  const correlation = answers.length > 0 ? pearson(tokens, scores) : 0;
  const whole = accuracyOf(decided, options.seed);
  return {
    pairs: decided.length,
    accuracy: whole.accuracy,
    accuracyInterval: whole.interval,
    ece: bins.length > 0 ? expectedCalibrationError(bins) : 0,
    reliability: bins,
    lengthCorrelation: Number.isNaN(correlation) ? 0 : correlation,
    scores: scoreHistogram(answers),
    margins: histogram(margins, BINS),
    slices: inspectedSlices.flatMap(({ name, holds }) => {
      const part = decided.filter(holds);
      return part.length === 0 ? [] : [{ name, n: part.length, ...accuracyOf(part, options.seed) }];
    }),
    baselines: {
      longest: share(decided, ({ chosen, rejected }) => wins(chosen.tokens, rejected.tokens)),
      shortest: share(decided, ({ chosen, rejected }) => wins(rejected.tokens, chosen.tokens)),
    },
    lengthFit: answers.length > 0 ? leastSquaresLine(tokens, scores) : { intercept: 0, slope: 0 },
  };
};

const share = (pairs: readonly Decided[], value: (pair: Decided) => number): number =>
  pairs.length === 0 ? 0 : mean(pairs.map(value));

const accuracyOf = (pairs: readonly Decided[], seed = 0): { accuracy: number; interval: Interval } => {
  const hits = pairs.map(({ chosen, rejected }) => wins(chosen.score, rejected.score));
  const clusters = clustersOf(
    pairs.map((pair) => pair.promptId),
    hits,
  );
  return {
    accuracy: pairs.length === 0 ? 0 : mean(hits),
    interval: clusteredRateInterval(clusters, { seed, replicates: 1000 }),
  };
};

/** Every answer once, although it may be in several pairs. */
const distinctAnswers = (pairs: readonly ScoredPair[]): ScoredAnswer[] => {
  const found = new Map<string, ScoredAnswer>();
  for (const { promptId, a, b } of pairs)
    for (const answer of [a, b]) found.set(`${promptId}\u0000${answer.text}`, answer);
  return [...found.values()];
};

const scoreHistogram = (answers: readonly ScoredAnswer[]): RewardInspection['scores'] => {
  const edges = binEdges(
    answers.map((answer) => answer.score),
    BINS,
  );
  const counts = edges.slice(1).map((to, i) => ({ from: edges[i], to, correct: 0, wrong: 0, unmarked: 0 }));
  for (const { score, correct } of answers)
    counts[binOf(edges, score)][correct === null ? 'unmarked' : correct ? 'correct' : 'wrong']++;
  return counts;
};
