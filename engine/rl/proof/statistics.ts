import {
  bestOfNKl,
  bradleyTerryFit,
  expectedMaximum,
  fleissKappa,
  goodhart,
  klDivergence,
  klEstimators,
  majorityVote,
  mean,
  passAtK,
  variance,
  zeroVarianceShare,
} from '../../evaluate/index.ts';
import { normals } from '../../random/random.ts';
import { enumerable } from '../kernel/optimum.ts';
import type { ClosedForm } from './closed-form.ts';

const statistic = (
  id: string,
  title: string,
  expected: readonly number[],
  tolerance: number,
  compute: () => ArrayLike<number>,
): ClosedForm => ({ id: `statistic/${id}`, title, owner: 'statistic', expected, tolerance, compute });

/** Citations between four journals of statistics (Stigler 1994): row = cited. */
const CITATIONS = [
  [0, 730, 498, 221],
  [33, 0, 68, 17],
  [320, 813, 0, 142],
  [284, 276, 325, 0],
];

/** Fleiss' own example: 10 subjects, 14 raters, 5 categories. */
const RATINGS = [
  [0, 0, 0, 0, 14],
  [0, 2, 6, 4, 2],
  [0, 0, 3, 5, 6],
  [0, 3, 9, 2, 0],
  [2, 2, 8, 1, 1],
  [7, 7, 0, 0, 0],
  [3, 2, 6, 3, 0],
  [2, 5, 3, 2, 2],
  [6, 5, 2, 1, 0],
  [0, 2, 2, 3, 7],
];

/** Samples of N(0.1, 1), and their estimates of KL(N(0.1, 1) ‖ N(0, 1)). */
const estimated = (kind: keyof typeof klEstimators): Float64Array => {
  const x = new Float32Array(200_000);
  normals(x, 1, 'closed form', 0);
  // log q − log p at x = 0.1 + z is 0.1·x − 0.005
  return Float64Array.from(x, (z) => klEstimators[kind](0.1 * (0.1 + z) - 0.005));
};

const bandit = enumerable({ rewards: [1, 0, -1], reference: [1 / 3, 1 / 3, 1 / 3] });
const worth = (weight: number): number[] => {
  const p = bandit.fixedPoint({ divergence: 'policy-to-reference', weight });
  const kl = klDivergence(p, [1 / 3, 1 / 3, 1 / 3]);
  return [kl, p[0] - p[2] - weight * kl];
};

export const statistics: readonly ClosedForm[] = [
  statistic(
    'bandit-worth',
    'KL and J = E[r] − β·KL at the optimum of the three-armed bandit, β = 1, ½, 0.1',
    [0.26622, 0.30899, 0.65755, 0.52216, 1.09811, 0.89014],
    1e-5,
    () => [1, 0.5, 0.1].flatMap(worth),
  ),
  statistic(
    'zero-variance',
    'Share of groups whose rewards are all equal, groups of 8 and of 16',
    [0.66342, 0.10013, 0.00781, 0.43047, 0.44013, 0.01002, 0.00003, 0.1853],
    1e-5,
    () => [8, 16].flatMap((size) => [0.05, 0.25, 0.5, 0.9].map((p) => zeroVarianceShare(p, size))),
  ),
  statistic(
    'best-of-n-kl',
    'KL of the best of n to the base: ln n − (n − 1)/n',
    [0.1931, 0.6363, 1.8351, 3.1745, 5.9088],
    5e-5,
    () => [2, 4, 16, 64, 1000].map(bestOfNKl),
  ),
  statistic(
    'expected-maximum',
    'Expected maximum of n standard normals',
    [0.5642, 1.0294, 1.4236, 1.766, 2.3437, 2.8269],
    5e-5,
    () => [2, 4, 8, 16, 64, 256].map(expectedMaximum),
  ),
  statistic(
    'goodhart',
    'Best of 16 by a proxy that is gold + noise: gold, proxy',
    [1.2487, 2.4975],
    5e-5,
    () => {
      const { gold, proxy } = goodhart(16);
      return [gold, proxy];
    },
  ),
  statistic('pass-at-k', 'pass@1, 2, 5 of 10 answers, 3 of them right', [0.3, 0.53333, 0.91667], 1e-5, () =>
    [1, 2, 5].map((k) => passAtK(10, 3, k)),
  ),
  statistic(
    'majority',
    'Majority of 3, 5, 11, 21 votes that are right with 0.6',
    [0.648, 0.68256, 0.7535, 0.82562],
    1e-5,
    () => [3, 5, 11, 21].map((n) => majorityVote(n, 0.6)),
  ),
  // within four standard errors; the estimators' deviations are 0.1, 0.00709 and 0.00708
  ...(
    [
      ['k1', 0.005, 8.95e-4],
      ['k2', 0.0050125, 6.4e-5],
      ['k3', 0.005, 6.4e-5],
    ] as const
  ).map(([kind, expected, tolerance]) =>
    statistic(
      `kl-estimator-${kind}`,
      `Mean of ${kind} over 200,000 samples of N(0.1, 1) against N(0, 1)`,
      [expected],
      tolerance,
      () => [mean(estimated(kind))],
    ),
  ),
  statistic(
    'kl-variance',
    'Variances of k2 and of k3 over that of k1: far below 1',
    [0.005025, 0.005017],
    2e-4,
    () => {
      const own = variance(estimated('k1'));
      return [variance(estimated('k2')) / own, variance(estimated('k3')) / own];
    },
  ),
  statistic(
    'bradley-terry',
    'Bradley–Terry on citations between journals: strengths, residual deviance, null deviance ÷ 1000',
    [0, -2.94907, -0.47957, 0.26895, 4.2934, 1.9252],
    6e-5,
    () => {
      const { abilities, deviance, nullDeviance } = bradleyTerryFit(CITATIONS);
      return [...abilities, deviance, nullDeviance / 1000];
    },
  ),
  statistic('fleiss', 'Fleiss’ kappa of his own table', [0.2099], 5e-5, () => [fleissKappa(RATINGS)]),
];
