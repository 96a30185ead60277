import { uniform } from '../../random/random.ts';
import type { ArenaRule, Pull, RuleParams } from './rule.ts';

/**
 * Probabilities of the next pull (Auer et al. 2002, Exp3): (1 − γ) w_i / Σ w + γ / K, where a pull of i multiplies
 * w_i by exp(γ r / (p_i K)).
 */
export function probabilities(
  pulls: readonly Pull[],
  arms: number,
  { explore }: Pick<RuleParams, 'explore'>,
): readonly number[] {
  const logWeights = Array.from({ length: arms }, () => 0);
  const now = (): number[] => {
    const most = Math.max(...logWeights);
    const weights = logWeights.map((log) => Math.exp(log - most));
    const total = weights.reduce((all, weight) => all + weight, 0);
    return weights.map((weight) => ((1 - explore) * weight) / total + explore / arms);
  };
  for (const { arm, reward } of pulls) logWeights[arm] += (explore * reward) / (now()[arm] * arms);
  return now();
}

/** The draw of a pull is keyed by its number, so that a resumed arena goes on as it would have. */
export const exp3: ArenaRule = {
  id: 'exp3',
  title: 'Exp3',
  summary: 'Drawn at random, more often the better a candidate has been; holds even if rewards drift.',
  pick: (pulls, arms, params) => {
    let left = uniform(params.seed, 'arena', pulls.length);
    const found = probabilities(pulls, arms, params).findIndex((p) => (left -= p) < 0);
    return found < 0 ? arms - 1 : found;
  },
};
