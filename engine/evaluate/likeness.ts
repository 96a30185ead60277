/** How alike texts are, by the runs of characters that they share. */

/** Counts of a text's runs of `n` characters; a shorter text counts as a single run. */
export const ngrams = (text: string, n: number): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  const letters = [...text];
  for (let at = 0; at <= Math.max(0, letters.length - n); at++) {
    const run = letters.slice(at, at + n).join('');
    counts.set(run, (counts.get(run) ?? 0) + 1);
  }
  return counts;
};

/** Cosine of two vectors of counts, 0–1. */
export const cosineOfCounts = (a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number => {
  let product = 0;
  for (const [run, count] of a) product += count * (b.get(run) ?? 0);
  const square = (counts: ReadonlyMap<string, number>) =>
    [...counts.values()].reduce((sum, count) => sum + count * count, 0);
  return product === 0 ? 0 : product / Math.sqrt(square(a) * square(b));
};

/**
 * The mean cosine of each text to the others of its set, by their runs of `n` characters; 0 for a text alone.
 * The mean of these is the mean over all pairs.
 */
export function meanCosines(texts: readonly string[], n = 3): Float64Array {
  const counts = texts.map((text) => ngrams(text, n));
  const sums = new Float64Array(texts.length);
  counts.forEach((one, a) => {
    for (let b = 0; b < a; b++) {
      const cosine = cosineOfCounts(one, counts[b]);
      sums[a] += cosine;
      sums[b] += cosine;
    }
  });
  return sums.map((sum) => sum / Math.max(1, texts.length - 1));
}
