/**
 * Index of the first step whose score is below a threshold; −1 if none is, null if a step has no score. The
 * rule of ProcessBench (Zheng et al. 2024, arXiv:2412.06559).
 */
export const firstWrongStep = (scores: readonly (number | null)[], threshold: number): number | null =>
  scores.includes(null) ? null : scores.findIndex((score) => score !== null && score < threshold);
