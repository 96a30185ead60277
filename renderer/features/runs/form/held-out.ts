import { plural, rate } from '../../../lib/format.ts';

/** An accuracy within this of another one counts as the same: half the width of its 95 % interval. */
const HALF_WIDTH = 0.1;
/** 97.5th percentile of the normal distribution. */
const Z = 1.96;
/** Half the width of the 95 % interval of a share of about one half, over `n` pairs (Wald). */
const halfWidth = (n: number): number => Z * Math.sqrt(0.25 / n);
/** Held-out pairs that are needed for that: 97. */
const NEEDED = Math.ceil(0.25 * (Z / HALF_WIDTH) ** 2);

/**
 * Why so few held-out pairs cannot show that a judge is better than preferring the longer or the shorter
 * answer, and what to do; null if they are enough.
 */
export function tooFewPairs(
  pairs: { readonly trained: number; readonly heldOut: number } | null,
): string | null {
  if (!pairs || pairs.heldOut >= NEEDED) return null;
  const { trained, heldOut } = pairs;
  if (heldOut === 0) return 'No pair is held out, so the judge cannot be compared with a length rule.';
  const all = trained + heldOut;
  return (
    `About ${plural(heldOut, 'pair')} of ${all} ${heldOut === 1 ? 'is' : 'are'} held out: accuracy is known to ` +
    `±${rate(halfWidth(heldOut), 2)}, too little to tell the judge from a length rule. Label about ` +
    `${Math.ceil((all * NEEDED) / heldOut / 10) * 10} pairs, or hold out a larger share under Advanced.`
  );
}
