/** Distribution functions that tests of differences need, in float64. */
import { finite, ordered, share, whole } from '../inputs.ts';

/** ln Γ(x) for x > 0 by Lanczos's series (g = 7, nine terms); relative error below 1e-14. */
const logGamma = (x: number): number => {
  const series = [
    676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
    -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
  ];
  const shifted = x - 1;
  const total = series.reduce((sum, term, i) => sum + term / (shifted + i + 1), 0.99999999999980993);
  const t = shifted + series.length - 0.5;
  return 0.5 * Math.log(2 * Math.PI) + (shifted + 0.5) * Math.log(t) - t + Math.log(total);
};

/** The continued fraction of the incomplete beta function, by Lentz's method. */
const betaFraction = (a: number, b: number, x: number): number => {
  const tiny = 1e-300;
  const away = (value: number) => (Math.abs(value) < tiny ? tiny : value);
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let total = d;
  for (let m = 1; m <= 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    total *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    total *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return total;
};

/** Regularized incomplete beta function I_x(a, b) (DLMF 8.17.22). */
const incompleteBeta = (a: number, b: number, x: number): number => {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  return x < (a + 1) / (a + b + 2)
    ? (front * betaFraction(a, b, x)) / a
    : 1 - (front * betaFraction(b, a, 1 - x)) / b;
};

/** Degrees of freedom: a positive number, whole or not. */
const degrees = (df: number): void => {
  finite([df], 'degrees of freedom');
  if (df <= 0) whole(df, 'degrees of freedom', 1);
};

/** P(|T| ≥ |t|) of Student's t with `df` degrees of freedom, which need not be whole. */
export const studentTails = (t: number, df: number): number => {
  ordered([t], 'values of t');
  degrees(df);
  return incompleteBeta(df / 2, 0.5, df / (df + t * t));
};

/** The t that `level` of Student's distribution lies within: P(|T| ≤ t) = level. Found by bisection. */
export const studentBound = (level: number, df: number): number => {
  share(level, 'level');
  degrees(df);
  if (level === 1) return Infinity;
  let [low, high] = [0, 1];
  while (studentTails(high, df) > 1 - level && high < 1e12) high *= 2;
  for (let i = 0; i < 200 && low < high; i++) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (studentTails(middle, df) > 1 - level) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
};

/**
 * McNemar's exact test (1947): of the problems that only one of two policies solves, `a` by the one and `b` by
 * the other. The two-sided p-value of Binomial(a + b, ½); 1 without such problems.
 */
export const mcNemar = (a: number, b: number): number => {
  whole(a, 'number of problems that only the first solves', 0);
  whole(b, 'number of problems that only the second solves', 0);
  const n = a + b;
  let term = -n * Math.LN2; // ln C(n, i) / 2^n
  let tail = Math.exp(term);
  for (let i = 1; i <= Math.min(a, b); i++) {
    term += Math.log(n - i + 1) - Math.log(i);
    tail += Math.exp(term);
  }
  return Math.min(1, 2 * tail);
};
