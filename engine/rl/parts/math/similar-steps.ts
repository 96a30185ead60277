/** Solved steps that look like a text, by runs of characters. */

/** A solved step with its problem. */
export interface SolvedStep {
  readonly problem: string;
  readonly step: string;
}

const runsOf = (text: string, n: number): ReadonlyMap<string, number> => {
  const letters = [...text];
  const counts = new Map<string, number>();
  for (let at = 0; at <= Math.max(0, letters.length - n); at++) {
    const run = letters.slice(at, at + n).join('');
    counts.set(run, (counts.get(run) ?? 0) + 1);
  }
  return counts;
};

/** Cosine of the counts of two texts’ runs of `n` characters, 0–1. */
export const similarity = (a: string, b: string, n: number): number => {
  const [own, other] = [runsOf(a, n), runsOf(b, n)];
  const square = (counts: ReadonlyMap<string, number>) =>
    [...counts.values()].reduce((sum, count) => sum + count * count, 0);
  const product = [...own].reduce((sum, [run, count]) => sum + count * (other.get(run) ?? 0), 0);
  return product === 0 ? 0 : product / Math.sqrt(square(own) * square(other));
};

/** The most similar step of a bank, or null if none is at least `least` similar; equals: the first. */
export const mostSimilar = (
  bank: readonly SolvedStep[],
  text: string,
  { least, n }: { readonly least: number; readonly n: number },
): SolvedStep | null => {
  let [best, found]: [number, SolvedStep | null] = [least, null];
  for (const one of bank) {
    const alike = similarity(one.step, text, n);
    if (alike < best || (found && alike === best)) continue;
    [best, found] = [alike, one];
  }
  return found;
};
