import { uniform } from '../../random/random.ts';
import type { ArenaRule, Pull, RuleParams } from './rule.ts';

/**
 * Probabilities of the next pull, in the order of the candidates (Auer et al. 2002, Exp3): (1 − γ) w_i / Σ w + γ / K,
 * where a pull of i multiplies w_i by exp(γ r / (p_i K)). A pinned pull had p = 1; K counts those that could be chosen.
 */
export function probabilities(
  pulls: readonly Pull[],
  among: readonly number[],
  { explore }: Pick<RuleParams, 'explore'>,
): readonly number[] {
  const logWeights = new Map<number, number>();
  const logOf = (arm: number): number => logWeights.get(arm) ?? 0;
  const chances = (of: readonly number[]): number[] => {
    const most = Math.max(...of.map(logOf));
    const weights = of.map((arm) => Math.exp(logOf(arm) - most));
    const total = weights.reduce((all, weight) => all + weight, 0);
    return weights.map((weight) => ((1 - explore) * weight) / total + explore / of.length);
  };
  for (const { arm, reward, among: of = among, isPinned = false } of pulls) {
    const p = isPinned ? 1 : chances(of)[of.indexOf(arm)];
    logWeights.set(arm, logOf(arm) + (explore * reward) / (p * of.length));
  }
  return chances(among);
}

/** The draw of a pull is keyed by its number, so that a resumed arena goes on as it would have. */
export const exp3: ArenaRule = {
  id: 'exp3',
  title: 'Exp3',
  summary: 'Drawn at random, more often the better a candidate has been; holds even if rewards drift.',
  pick: (pulls, among, params) => {
    let left = uniform(params.seed, 'arena', pulls.length);
    const found = probabilities(pulls, among, params).findIndex((p) => (left -= p) < 0);
    return among[found < 0 ? among.length - 1 : found];
  },
};
