/** Accuracy by slice of held-out pairs, with intervals and tests corrected for the number of slices. */
import type { PairSlice } from '../../schema/inspected-pair.ts';
import { finite, sameLength } from '../inputs.ts';
import { wilson } from '../intervals.ts';
import { normalCdf } from '../sampling.ts';
import { holm } from '../holm.ts';
import { simultaneousWilson } from './multiplicity.ts';

/** Fewest prompts, and fewest effective pairs, of a slice that is tested. */
export const leastPrompts = 5;
export const leastEffective = 10;

/** A sample of clustered hits: its size, accuracy, clusters and effective size. */
interface Clustered {
  readonly n: number;
  readonly clusters: number;
  readonly rate: number;
  readonly effective: number;
}

/**
 * Number of independent pairs that clustered ones are worth: n / deff, with the design effect deff = v / v₀.
 * v = Σ (sum_c − n_c p)² / n² is the linearized variance of the rate p over clusters c, v₀ = p(1 − p) / n that
 * of independent pairs (Kish 1965; Dean and Pagano 2015 use it for Wilson's interval). It is at least 1, so
 * that ties and negative correlation within a prompt make nothing narrower. Where p is 0 or 1, v₀ is 0, and the
 * pairs of a prompt count as copies: deff = Σ n_c² / n.
 */
export const effectivePairs = (
  clusters: Iterable<{ readonly sum: number; readonly n: number }>,
): Clustered => {
  let [n, sum, count, squares, sumSquares, products] = [0, 0, 0, 0, 0, 0];
  for (const each of clusters) {
    n += each.n;
    sum += each.sum;
    count += 1;
    squares += each.n * each.n;
    sumSquares += each.sum * each.sum;
    products += each.sum * each.n;
  }
  if (n === 0) return { n: 0, clusters: 0, rate: 0, effective: 0 };
  const rate = sum / n;
  const binomial = rate * (1 - rate) * n;
  const spread = sumSquares - 2 * rate * products + rate * rate * squares;
  const effect = binomial > 0 ? spread / binomial : squares / n;
  return { n, clusters: count, rate, effective: n / Math.max(1, effect) };
};

/** Hits summed by prompt, over the pairs at some positions. */
const clustersAt = (
  positions: Iterable<number>,
  prompts: ArrayLike<number>,
  hits: ArrayLike<number>,
): IteratorObject<{ sum: number; n: number }> => {
  const found = new Map<number, { sum: number; n: number }>();
  for (const at of positions) {
    const cluster = found.get(prompts[at]) ?? { sum: 0, n: 0 };
    cluster.sum += hits[at];
    cluster.n += 1;
    found.set(prompts[at], cluster);
  }
  return found.values();
};

/**
 * Two-sided p of equal accuracies by the score test with a pooled rate, on effective sizes; null if either part
 * is empty. With effective sizes equal to the sizes it is Pearson's χ² test of the 2 × 2 table.
 */
const pOfDifference = (slice: Clustered, rest: Clustered): number | null => {
  if (slice.n === 0 || rest.n === 0) return null;
  const total = slice.effective + rest.effective;
  const pooled = (slice.rate * slice.effective + rest.rate * rest.effective) / total;
  const variance = pooled * (1 - pooled) * (1 / slice.effective + 1 / rest.effective);
  if (variance === 0) return 1;
  return Math.min(1, 2 * (1 - normalCdf(Math.abs(slice.rate - rest.rate) / Math.sqrt(variance))));
};

const isLarge = ({ clusters, effective }: Clustered): boolean =>
  clusters >= leastPrompts && effective >= leastEffective;

/**
 * Accuracy on each slice, in the order given; a slice is the positions of its pairs. `hits` are 1, 0 or ½ for
 * equal scores, `prompts` the number of each pair's prompt. Slices below `leastPrompts` prompts or
 * `leastEffective` effective pairs are `too-small`: they have no interval and are not tested, so that they do
 * not widen the others. The others form the family: each has Wilson's interval, one simultaneous with the
 * family's, and a test against the pairs outside the slice, whose p is corrected by Holm; at 0.05 it is flagged.
 * Slices may overlap; a prompt with pairs on both sides makes the test conservative or liberal by their
 * correlation, which is not modelled.
 */
export const accuracyBySlice = (
  slices: readonly { readonly name: string; readonly positions: ArrayLike<number> & Iterable<number> }[],
  { hits, prompts }: { readonly hits: ArrayLike<number>; readonly prompts: ArrayLike<number> },
  among: ArrayLike<number> & Iterable<number>,
): PairSlice[] => {
  sameLength(hits, prompts, 'hits and prompts');
  finite(hits, 'hits');
  const parts = slices.map(({ name, positions }) => {
    const own = new Set(positions);
    const part = effectivePairs(clustersAt(positions, prompts, hits));
    if (!isLarge(part)) return { name, part, p: null };
    const rest = effectivePairs(
      clustersAt(
        Iterator.from(among).filter((at) => !own.has(at)),
        prompts,
        hits,
      ),
    );
    return { name, part, p: pOfDifference(part, rest), below: part.rate < rest.rate };
  });
  const large = parts.filter(({ part }) => isLarge(part));
  // a slice of all pairs has nothing to be tested against, and counts as one of the family
  const corrected = holm(large.map(({ p }) => p ?? 1));
  const pOf = new Map(large.map((each, at) => [each, each.p === null ? null : corrected[at]]));
  return parts.map((each): PairSlice => {
    const { name, part, below } = each;
    const { n, clusters, rate, effective } = part;
    const sizes = { name, n, prompts: clusters, effective, accuracy: rate };
    if (!isLarge(part)) return { ...sizes, interval: null, simultaneous: null, p: null, flag: 'too-small' };
    const p = pOf.get(each) ?? null;
    return {
      ...sizes,
      interval: wilson(rate * effective, effective),
      simultaneous: simultaneousWilson(rate * effective, effective, large.length),
      p,
      flag: p !== null && p <= 0.05 ? (below ? 'lower' : 'higher') : null,
    };
  });
};
