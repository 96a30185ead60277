/**
 * The statistics against SciPy's and NumPy's values on the same data (tests/support/oracles/statistics.py).
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  auc,
  bradleyTerryFit,
  expectedMaximum,
  leastSquaresLine,
  majorityVote,
  normalCdf,
  pearson,
  quantile,
  spearman,
  variance,
  wilson,
} from '../../../engine/evaluate/index.ts';

interface Numbers {
  readonly x: number[];
  readonly y: number[];
  readonly positive: boolean[];
  readonly pearson: number;
  readonly spearman: number;
  readonly auc: number;
  readonly line: { readonly intercept: number; readonly slope: number };
  readonly quantiles: Readonly<Record<string, number>>;
  readonly variance: { readonly sample: number; readonly population: number };
  readonly wilson: readonly {
    readonly k: number;
    readonly n: number;
    readonly interval: readonly [number, number];
  }[];
  readonly normalCdf: Readonly<Record<string, number>>;
  readonly expectedMaximum: Readonly<Record<string, number>>;
  readonly majorityVote: readonly { readonly n: number; readonly p: number; readonly value: number }[];
  readonly bradleyTerry: {
    readonly wins: number[][];
    readonly abilities: number[];
    readonly deviance: number;
  };
}
const numbers = JSON.parse(
  readFileSync(new URL('../../support/oracles/statistics.json', import.meta.url), 'utf8'),
) as Numbers;
const { x, y } = numbers;

test('correlations, area under the curve, and the line', () => {
  expect(pearson(x, y)).toBeCloseTo(numbers.pearson, 12);
  expect(spearman(x, y)).toBeCloseTo(numbers.spearman, 12);
  expect(auc(y, numbers.positive)).toBeCloseTo(numbers.auc, 12);
  expect(leastSquaresLine(x, y).intercept).toBeCloseTo(numbers.line.intercept, 12);
  expect(leastSquaresLine(x, y).slope).toBeCloseTo(numbers.line.slope, 12);
});

test('quantiles and variances', () => {
  for (const [q, value] of Object.entries(numbers.quantiles))
    expect(quantile(x, Number(q)), q).toBeCloseTo(value, 12);
  expect(variance(x)).toBeCloseTo(numbers.variance.sample, 12);
  expect(variance(x, 'population')).toBeCloseTo(numbers.variance.population, 12);
});

test('Wilson’s interval', () => {
  for (const { k, n, interval } of numbers.wilson)
    wilson(k, n).forEach((value, i) => expect(value, `${k} of ${n}`).toBeCloseTo(interval[i], 12));
});

test('normal distribution, expected maxima, majorities', () => {
  for (const [t, value] of Object.entries(numbers.normalCdf))
    expect(normalCdf(Number(t)), t).toBeCloseTo(value, 14);
  for (const [n, value] of Object.entries(numbers.expectedMaximum))
    expect(expectedMaximum(Number(n)), n).toBeCloseTo(value, 9);
  for (const { n, p, value } of numbers.majorityVote)
    expect(majorityVote(n, p), `${n}, ${p}`).toBeCloseTo(value, 11);
});

test('Bradley–Terry on six items', () => {
  const fit = bradleyTerryFit(numbers.bradleyTerry.wins);
  numbers.bradleyTerry.abilities.forEach((ability, i) => expect(fit.abilities[i]).toBeCloseTo(ability, 6));
  expect(fit.deviance).toBeCloseTo(numbers.bradleyTerry.deviance, 8);
});
