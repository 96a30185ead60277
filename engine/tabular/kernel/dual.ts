/**
 * V that minimises (1 − λ)·V + λ·E f*((Q − V)/β)·β for the χ² divergence, f*(y) = y + y²/4 where y ≥ −2: the mean
 * of Q at λ = ½, and towards its largest value for λ → 1. Its derivative rises with V, so it is bisected.
 */
export const dualValue = (
  values: readonly number[],
  weights: readonly number[],
  lambda: number,
  beta: number,
): number => {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const slope = (v: number) =>
    1 -
    lambda -
    lambda *
      values.reduce((sum, q, at) => sum + (weights[at] / total) * Math.max(0, 1 + (q - v) / (2 * beta)), 0);
  let [low, high] = [Math.min(...values) - 2 * beta, Math.max(...values) + 2 * beta];
  for (let turn = 0; turn < 60; turn++) {
    const middle = (low + high) / 2;
    if (slope(middle) < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
};
