import { clusteredRateInterval, clustersOf } from '../../evaluate/intervals.ts';
import type { Interval } from '../../schema/evaluation.ts';
import type { PairFacts } from './rows.ts';

/** Agreement of a rule that reads no text with the verdicts. */
export interface Baseline {
  /** Share of decided pairs on which the rule is right; null without any that it decides. */
  readonly rate: number | null;
  /** 95 %, resampling whole prompts; [0, 1] without pairs. */
  readonly interval: Interval;
  /** Pairs that the rule decides. */
  readonly n: number;
  /** Pairs on which it is wrong. */
  readonly against: readonly string[];
}

const baseline = (pairs: readonly PairFacts[], rule: (pair: PairFacts) => 'a' | 'b' | null): Baseline => {
  const decided = pairs.flatMap((pair) => {
    const guess = pair.verdict === 'a' || pair.verdict === 'b' ? rule(pair) : null;
    return guess === null ? [] : [{ pair, right: guess === pair.verdict }];
  });
  const against = decided.filter(({ right }) => !right).map(({ pair }) => pair.id);
  const clusters = clustersOf(
    decided.map(({ pair }) => pair.prompt),
    decided.map(({ right }) => Number(right)),
  );
  return {
    rate: decided.length === 0 ? null : 1 - against.length / decided.length,
    interval: clusteredRateInterval(clusters),
    n: decided.length,
    against,
  };
};

/**
 * Baselines that a reward model must exceed: the first answer wins, the longer answer wins (characters;
 * equal lengths are left out). Ties and undecided pairs are left out.
 */
export const verdictBaselines = (
  pairs: readonly PairFacts[],
): { readonly firstWins: Baseline; readonly longestWins: Baseline } => ({
  firstWins: baseline(pairs, () => 'a'),
  longestWins: baseline(pairs, ({ a, b }) =>
    a.length === b.length ? null : a.length > b.length ? 'a' : 'b',
  ),
});
