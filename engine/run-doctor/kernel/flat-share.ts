/**
 * The expected share of groups whose G rewards are all equal, if each answer is right with its prompt's pass
 * rate: the mean of p^G + (1 − p)^G. Since that function is convex, the expectation at the mean pass rate is
 * the least that these prompts can give; what exceeds it are prompts that are too easy or too hard.
 * `rates`: pass rates in 0–1. NaN without any.
 */
export const expectedFlatShare = (rates: readonly number[], groupSize: number): number =>
  rates.reduce((sum, p) => sum + p ** groupSize + (1 - p) ** groupSize, 0) / rates.length;
