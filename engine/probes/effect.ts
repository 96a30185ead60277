import { WhetstoneError } from '../common/errors.ts';
import { clusteredMeanInterval, clustersOf, deviation, mean } from '../evaluate/index.ts';
import type { Interval } from '../schema/evaluation.ts';
import type { Probe } from './probe.ts';

/** Scores of answers before and after an edit, each with the key of its prompt. */
export interface ProbedScores {
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly prompts: readonly string[];
}

export interface ProbeEffect {
  readonly n: number;
  /** Mean change of the score, in deviations of the scores before. */
  readonly effect: number;
  /** 95 %, resampled by prompt. */
  readonly interval: Interval;
  /** Share of answers whose score fell. */
  readonly fell: number;
  /** `unclear`: the interval reaches over the bound of a small effect. */
  readonly verdict: 'passed' | 'failed' | 'unclear';
}

/** A small effect (Cohen 1988): the most that an edit without consequence may move a score. */
export const SMALL_EFFECT = 0.2;

const verdictOf = (expects: Probe['expects'], [low, high]: Interval): ProbeEffect['verdict'] => {
  if (expects === 'lower') {
    if (high <= -SMALL_EFFECT) return 'passed';
    return low > -SMALL_EFFECT ? 'failed' : 'unclear';
  }
  if (low >= -SMALL_EFFECT && high <= SMALL_EFFECT) return 'passed';
  return low > SMALL_EFFECT || high < -SMALL_EFFECT ? 'failed' : 'unclear';
};

/**
 * Effect size of an edit: the mean change over the deviation of `scores`, those of all held-out answers. An edit
 * of `same` passes if the 95 % interval lies within ±0.2, and one of `lower` if it lies below −0.2. Throws
 * `numeric` if all scores are equal: the judge tells no two answers apart.
 */
export const probeEffect = (
  expects: Probe['expects'],
  { before, after, prompts }: ProbedScores,
  scores: readonly number[],
): ProbeEffect => {
  const spread = deviation(scores);
  if (!(spread > 0))
    throw new WhetstoneError('numeric', 'All held-out answers have the same score.', {
      hint: 'Train the judge on more pairs: it does not tell two answers apart.',
    });
  const changes = before.map((score, at) => (after[at] - score) / spread);
  const interval = clusteredMeanInterval(clustersOf(prompts, changes));
  return {
    n: changes.length,
    effect: mean(changes),
    interval,
    fell: mean(changes.map((change) => Number(change < 0))),
    verdict: verdictOf(expects, interval),
  };
};
