/** Subsets of a problem's answers: a rule that sees n of N answers is measured on all subsets, or on some. */
import { stream } from '../../random/random.ts';
import { WhetstoneError } from '../../common/errors.ts';

/** Most subsets that a rule without a closed form is measured on. */
export const MOST_SUBSETS = 64;

/** Binomial coefficient C(n, k) in float64; 0 for k < 0 or k > n. */
export const choose = (n: number, k: number): number => {
  if (k < 0 || k > n) return 0;
  let product = 1;
  const short = Math.min(k, n - k);
  for (let i = 1; i <= short; i++) product = (product * (n - short + i)) / i;
  return product;
};

/** All subsets of n of 0 … total − 1, in lexicographic order. */
const allSubsets = (total: number, n: number): number[][] => {
  const found: number[][] = [];
  const grow = (picked: readonly number[], from: number): void => {
    if (picked.length === n) {
      found.push([...picked]);
      return;
    }
    for (let at = from; at <= total - (n - picked.length); at++) grow([...picked, at], at + 1);
  };
  grow([], 0);
  return found;
};

/**
 * Subsets of n of `total` answers, each ascending: all of them if there are at most 64, else 64 drawn with a
 * stream keyed by the seed, the problem and n. Throws `invalid-input` unless 1 ≤ n ≤ total.
 */
export const subsetsOf = (total: number, n: number, key: { seed: number; problem: number }): number[][] => {
  if (!(n >= 1 && n <= total))
    throw new WhetstoneError('invalid-input', `A rule cannot see ${n} of ${total} answers.`);
  if (choose(total, n) <= MOST_SUBSETS) return allSubsets(total, n);
  return Array.from({ length: MOST_SUBSETS }, (_, draw) => {
    const random = stream(key.seed, 'subsets of a search', key.problem, n, draw);
    const left = Array.from({ length: total }, (_, at) => at);
    for (let at = 0; at < n; at++) {
      const other = at + random.int(total - at);
      [left[at], left[other]] = [left[other], left[at]];
    }
    return left.slice(0, n).sort((a, b) => a - b);
  });
};
