import { share } from './inputs.ts';

/**
 * p-values corrected for their number by Holm's step-down method (1979), in the order given: the i-th smallest
 * of m becomes the maximum over j ≤ i of (m − j + 1) · p₍ⱼ₎, at most 1. Rejecting those up to α keeps the chance
 * of any false rejection at α or less, whatever their dependence.
 */
export const holm = (ps: readonly number[]): number[] => {
  for (const p of ps) share(p, 'p-value');
  const order = ps.map((_p, at) => at).sort((i, j) => ps[i] - ps[j]);
  const corrected = new Array<number>(ps.length);
  let largest = 0;
  for (const [rank, at] of order.entries()) {
    largest = Math.max(largest, Math.min(1, (ps.length - rank) * ps[at]));
    corrected[at] = largest;
  }
  return corrected;
};
