/** Corrections for many tests and intervals at once. */
import { WhetstoneError } from '../../common/errors.ts';
import type { Interval } from '../../schema/evaluation.ts';
import { wilson } from '../intervals.ts';
import { normalCdf } from '../sampling.ts';

/** Halvings of the interval −8.3 to 8.3, after which it is as narrow as float64 allows. */
const HALVINGS = 60;

/** Quantile of the standard normal distribution, by bisection of Φ. Throws unless 0 < p < 1. */
export const normalQuantile = (p: number): number => {
  if (!(p > 0 && p < 1))
    throw new WhetstoneError('invalid-input', `A probability must lie between 0 and 1, not ${p}.`);
  let low = -8.3;
  let high = 8.3;
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (normalCdf(middle) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
};

/**
 * Wilson's interval (1927) of one of `family` rates, wide enough that all intervals of the family hold at once
 * with 95 % or more: by Bonferroni each has the level 1 − 0.05 / family.
 */
export const simultaneousWilson = (successes: number, n: number, family: number): Interval =>
  wilson(successes, n, normalQuantile(1 - 0.05 / (2 * Math.max(1, family))));
