/**
 * Whole numbers that add up to `total`, in proportion to the weights: each is its exact share rounded down,
 * and the largest remainders get one more (Hamilton's method). Equal remainders go to the first. Weights that
 * are all 0 give zeros.
 */
export const allocate = (total: number, weights: readonly number[]): number[] => {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  if (!(sum > 0)) return weights.map(() => 0);
  const exact = weights.map((weight) => (total * weight) / sum);
  const counts = exact.map(Math.floor);
  const rest = total - counts.reduce((all, count) => all + count, 0);
  const byRemainder = exact
    .map((share, at) => ({ at, remainder: share - counts[at] }))
    .sort((a, b) => b.remainder - a.remainder || a.at - b.at);
  for (const { at } of byRemainder.slice(0, rest)) counts[at] += 1;
  return counts;
};
