import { createHash } from 'node:crypto';
import type { Verdict } from '../../engine/schema/preference.ts';

interface Pair {
  readonly promptId: string;
  readonly a: string;
  readonly b: string;
  readonly correctA: boolean | null;
  readonly correctB: boolean | null;
}

/** A pseudorandom number in [0, 1), determined by the key. */
const uniform = (key: string): number => createHash('sha256').update(key).digest().readUInt32LE(0) / 2 ** 32;

/**
 * Simulates a human labeler: prefers the right answer; between two right or two wrong ones the shorter, which
 * is quicker to read; and flips the decision with probability `noise`, deterministically by the texts. A
 * reward model learns the preference for short answers as length bias.
 */
export const simulatedVerdict = (pair: Pair, { noise, seed }: { noise: number; seed: number }): Verdict => {
  const right = Number(pair.correctA ?? false) - Number(pair.correctB ?? false);
  const shorter = pair.b.length - pair.a.length;
  const preference = right !== 0 ? right : shorter;
  if (preference === 0) return 'tie';
  const flipped = uniform(JSON.stringify([seed, pair.promptId, pair.a, pair.b])) < noise;
  return preference > 0 !== flipped ? 'a' : 'b';
};
