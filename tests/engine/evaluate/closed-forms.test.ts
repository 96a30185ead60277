/** Numbers that have a closed form or come from a textbook; each case names its source. */
import { describe, expect, test } from 'vitest';
import {
  auc,
  bestOfNKl,
  bradleyTerryFit,
  cohenKappa,
  expectedMaximum,
  fleissKappa,
  goodhart,
  klDivergence,
  klEstimators,
  leastSquaresLine,
  majorityVote,
  mean,
  normalCdf,
  passAtK,
  pearson,
  quantile,
  spearman,
  variance,
  wilson,
  zeroVarianceShare,
  entropy,
  deviation,
  sum,
} from '../../../engine/evaluate/index.ts';
import { stream } from '../../../engine/random/random.ts';
import { caught } from '../../support/errors.ts';

/** Equal up to the printed digits. */
const digits = (value: number, expected: number, decimals: number) =>
  expect(Math.abs(value - expected), `${value} is not ${expected}`).toBeLessThanOrEqual(
    0.5 * 10 ** -decimals,
  );

test('pass@k with 10 samples of which 3 are correct (Chen et al. 2021)', () => {
  digits(passAtK(10, 3, 1), 0.3, 12);
  digits(passAtK(10, 3, 2), 0.53333, 5);
  digits(passAtK(10, 3, 5), 0.91667, 5);
  expect(passAtK(10, 3, 8)).toBe(1);
  expect(passAtK(10, 0, 10)).toBe(0);
  expect(caught(() => passAtK(4, 2, 5)).kind).toBe('invalid-input');
});

test('pass@k is unbiased: over all subsets of k of n answers it is the share that contains a correct one', () => {
  const [n, c, k] = [7, 2, 3];
  let draws = 0;
  let hits = 0;
  for (let a = 0; a < n; a++)
    for (let b = a + 1; b < n; b++)
      for (let d = b + 1; d < n; d++) {
        draws++;
        hits += Number([a, b, d].some((i) => i < c));
      }
  expect(passAtK(n, c, k)).toBeCloseTo(hits / draws, 12);
});

test('expected share of zero-variance groups', () => {
  for (const [size, row] of [
    [8, { 0.05: 0.66342, 0.25: 0.10013, 0.5: 0.00781, 0.9: 0.43047 }],
    [16, { 0.05: 0.44013, 0.25: 0.01002, 0.5: 0.00003, 0.9: 0.1853 }],
  ] as const) {
    for (const [p, share] of Object.entries(row)) digits(zeroVarianceShare(Number(p), size), share, 5);
  }
});

test('KL divergence of best-of-n from the base policy', () => {
  for (const [n, kl] of [
    [2, 0.1931],
    [4, 0.6363],
    [16, 1.8351],
    [64, 3.1745],
    [1000, 5.9088],
  ])
    digits(bestOfNKl(n), kl, 4);
});

test('expected maximum of n standard normals, and Goodhart’s row', () => {
  for (const [n, value] of [
    [2, 0.5642],
    [4, 1.0294],
    [8, 1.4236],
    [16, 1.766],
    [64, 2.3437],
    [256, 2.8269],
  ])
    digits(expectedMaximum(n), value, 4);
  expect(expectedMaximum(1)).toBeCloseTo(0, 12);
  expect(expectedMaximum(2)).toBeCloseTo(1 / Math.sqrt(Math.PI), 12);
  expect(expectedMaximum(3)).toBeCloseTo(1.5 / Math.sqrt(Math.PI), 12);
  digits(goodhart(16).gold, 1.2487, 4);
  digits(goodhart(16).proxy, 2.4975, 4);
});

test('normal distribution function', () => {
  expect(normalCdf(0)).toBe(0.5);
  expect(normalCdf(1.959963984540054)).toBeCloseTo(0.975, 14);
  expect(normalCdf(-3)).toBeCloseTo(0.0013498980316300933, 15);
});

test('majority vote with p = .6', () => {
  for (const [n, chance] of [
    [3, 0.648],
    [5, 0.68256],
  ])
    expect(majorityVote(n, 0.6)).toBeCloseTo(chance, 10);
  digits(majorityVote(11, 0.6), 0.7535, 4);
  digits(majorityVote(21, 0.6), 0.82562, 5);
  expect(majorityVote(4, 0.5)).toBeCloseTo(0.5, 12);
  expect(majorityVote(5, 1)).toBe(1);
  expect(majorityVote(5, 0)).toBe(0);
});

test('k1, k2, k3 on two unit normals whose means differ by .1, sampling from the first', () => {
  const n = 200_000;
  const draw = stream(1, 'kl estimators');
  // x ~ N(.1, 1): .1·x − .1²/2
  const logRatio = Float64Array.from({ length: n }, () => 0.1 * (0.1 + draw.normal()) - 0.005);
  const spread: Record<string, number> = {};
  for (const [name, expected] of [
    ['k1', 0.005],
    ['k2', 0.0050125],
    ['k3', 0.005],
  ] as const) {
    const values = logRatio.map(klEstimators[name]);
    spread[name] = deviation(values);
    const standardError = spread[name] / Math.sqrt(n);
    expect(Math.abs(mean(values) - expected), name).toBeLessThan(4 * standardError);
    if (name === 'k1') digits(standardError, 2.2e-4, 5);
  }
  expect(spread.k2).toBeLessThan(spread.k1 / 10);
  expect(spread.k3).toBeLessThan(spread.k1 / 10);
});

test('KL and entropy of small distributions: the regularised bandit with β = 1', () => {
  const weights = [1, 0, -1].map(Math.exp);
  const optimum = weights.map((w) => w / sum(weights));
  digits(klDivergence(optimum, [1 / 3, 1 / 3, 1 / 3]), 0.26622, 5);
  digits(optimum[0] - optimum[2] - klDivergence(optimum, [1 / 3, 1 / 3, 1 / 3]), 0.30899, 5);
  expect(entropy([0.5, 0.5, 0])).toBeCloseTo(Math.LN2, 12);
  expect(klDivergence([0.5, 0.5], [1, 0])).toBe(Infinity);
});

describe('Bradley–Terry', () => {
  // Citations among Biometrika, Communications in Statistics, JASA, JRSS-B (Stigler 1994); rows are cited.
  const stigler = [
    [0, 730, 498, 221],
    [33, 0, 68, 17],
    [320, 813, 0, 142],
    [284, 276, 325, 0],
  ];

  test('maximum likelihood on the citations of four statistics journals', () => {
    const fit = bradleyTerryFit(stigler);
    for (const [i, ability] of [
      [0, 0],
      [1, -2.94907],
      [2, -0.47957],
      [3, 0.26895],
    ])
      digits(fit.abilities[i], ability, 5);
    digits(fit.deviance, 4.2934, 4);
    digits(fit.nullDeviance, 1925.2, 1);
    digits(fit.standardErrors[1], 0.10255, 5); // R, package BradleyTerry2
    digits(fit.standardErrors[2], 0.06059, 5);
    digits(fit.standardErrors[3], 0.07083, 5);
  });

  test('two items: the difference is the log odds', () => {
    expect(
      bradleyTerryFit([
        [0, 3],
        [9, 0],
      ]).abilities[1],
    ).toBeCloseTo(Math.log(3), 10);
  });

  test('reports when no maximum exists', () => {
    expect(
      caught(() =>
        bradleyTerryFit([
          [0, 5],
          [0, 0],
        ]),
      ),
    ).toMatchObject({ kind: 'invalid-input', message: expect.stringContaining('tie all items together') });
    expect(
      caught(() =>
        bradleyTerryFit([
          [0, 1, 0, 0],
          [1, 0, 0, 0],
          [0, 0, 0, 1],
          [0, 0, 1, 0],
        ]),
      ).kind,
    ).toBe('invalid-input');
    expect(caught(() => bradleyTerryFit([[0, 1]])).kind).toBe('invalid-input');
  });
});

test('Fleiss’ kappa of the textbook table of 10 subjects, 14 raters, 5 categories', () => {
  const table = [
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
  digits(fleissKappa(table), 0.2099, 4);
  expect(
    caught(() =>
      fleissKappa([
        [2, 1],
        [1, 1],
      ]),
    ).kind,
  ).toBe('invalid-input');
});

test('Cohen’s kappa of 50 grant proposals (20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no) is .4', () => {
  const items = [
    [20, 'yes', 'yes'],
    [5, 'yes', 'no'],
    [10, 'no', 'yes'],
    [15, 'no', 'no'],
  ] as const;
  const of = (rater: 1 | 2) => items.flatMap((item) => Array<string>(item[0]).fill(item[rater]));
  expect(cohenKappa(of(1), of(2))).toBeCloseTo(0.4, 12);
});

test('Wilson’s interval (values of R, binom::binom.wilson)', () => {
  const close = (interval: readonly number[], low: number, high: number) =>
    interval.forEach((value, i) => digits(value, [low, high][i], 6));
  close(wilson(8, 10), 0.490162, 0.943318);
  close(wilson(0, 10), 0, 0.277533);
  close(wilson(10, 10), 0.722467, 1);
});

describe('Anscombe’s first data set (1973)', () => {
  const x = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5];
  const y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68];

  test('line, correlations, variance, quantiles', () => {
    const line = leastSquaresLine(x, y);
    digits(line.slope, 0.5000909, 7);
    digits(line.intercept, 3.0000909, 7);
    digits(pearson(x, y), 0.8164205, 7);
    digits(spearman(x, y), 0.8181818, 7);
    expect(variance(x)).toBe(11);
    expect(variance(x, 'population')).toBe(10);
    expect(quantile(x, 0.25)).toBe(6.5);
    expect(quantile(x, 0.9)).toBe(13);
  });

  test('constant lists have no correlation, and a flat line', () => {
    expect(
      pearson(
        x,
        x.map(() => 1),
      ),
    ).toBeNaN();
    expect(
      leastSquaresLine(
        x.map(() => 2),
        y,
      ),
    ).toEqual({ intercept: mean(y), slope: 0 });
  });
});

test('area under the curve counts ties as one half', () => {
  expect(auc([0.1, 0.4, 0.35, 0.8], [false, false, true, true])).toBe(0.75);
  expect(auc([1, 1, 1], [true, false, true])).toBe(0.5);
  expect(auc([1, 2], [true, true])).toBeNaN();
});

test('compensated sums keep digits that a plain sum loses', () => {
  expect(sum([1, 1e100, 1, -1e100])).toBe(2);
});
