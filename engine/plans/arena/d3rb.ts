import { leastOf, type ArenaRule, type Pull, type RuleParams } from './rule.ts';

/** ln(K ln n / δ) of the confidence width, with δ = 0.05; n = 1, 2 count as 3, where ln ln is positive. */
const logTerm = (arms: number, n: number): number => Math.log((arms * Math.log(Math.max(3, n))) / 0.05);

/**
 * Regret coefficients d of so many candidates after some pulls, d_min each at first. After a pull of candidate i,
 * d_i is doubled if its mean is below the best lower bound even with its regret d_i √n_i and the width: it is worse
 * than d_i allows.
 */
export function coefficients(
  pulls: readonly Pull[],
  arms: number,
  { confidence, regret = 1 }: Pick<RuleParams, 'confidence' | 'regret'>,
): readonly number[] {
  const d = Array.from({ length: arms }, () => regret);
  const counts = d.map(() => 0);
  const sums = d.map(() => 0);
  const meanOf = (arm: number): number => sums[arm] / counts[arm];
  for (const { arm, reward, among } of pulls) {
    const width = (of: number): number =>
      confidence === 0 ? 0 : confidence * Math.sqrt(logTerm(among?.length ?? arms, counts[of]) / counts[of]);
    counts[arm] += 1;
    sums[arm] += reward;
    const lower = counts.flatMap((n, of) => (n > 0 ? [meanOf(of) - width(of)] : []));
    const bound = meanOf(arm) + d[arm] / Math.sqrt(counts[arm]) + width(arm);
    if (bound < Math.max(...lower)) d[arm] *= 2;
  }
  return d;
}

/**
 * Doubling data-driven regret balancing (Pacchiano et al. 2023, arXiv:2306.02869, Algorithm 1; ORSO,
 * arXiv:2410.13837): the candidate with the least d √n, the first of equal ones.
 */
export const d3rb: ArenaRule = {
  id: 'd3rb',
  title: 'Regret balancing (D3RB)',
  summary:
    'The candidate with the least estimated regret d √n; d is doubled for one that is worse than it allows.',
  pick: (pulls, among, params) => {
    const d = coefficients(pulls, Math.max(...among, ...pulls.map(({ arm }) => arm)) + 1, params);
    // squares are exact for whole n
    const squares = d.map(() => 0);
    for (const { arm } of pulls) squares[arm] += d[arm] ** 2;
    return leastOf(among, (arm) => squares[arm]);
  },
};
