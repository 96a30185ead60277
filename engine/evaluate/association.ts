/**
 * Association of two lists. Each function throws on NaN, and on lists that are empty or of unequal lengths.
 */
import { finite, ordered, sameLength, notEmpty } from './inputs.ts';
import { mean } from './moments.ts';

const crossMoments = (xs: ArrayLike<number>, ys: ArrayLike<number>) => {
  sameLength(xs, ys, 'values of two lists');
  finite(xs, 'values');
  finite(ys, 'values');
  const [mx, my] = [mean(xs), mean(ys)];
  let [xx, yy, xy] = [0, 0, 0];
  for (let i = 0; i < xs.length; i++) {
    const [dx, dy] = [xs[i] - mx, ys[i] - my];
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  return { mx, my, xx, yy, xy };
};

/** Pearson's correlation; NaN if either list is constant. */
export const pearson = (xs: ArrayLike<number>, ys: ArrayLike<number>): number => {
  const { xx, yy, xy } = crossMoments(xs, ys);
  return xx > 0 && yy > 0 ? Math.max(-1, Math.min(1, xy / Math.sqrt(xx * yy))) : Number.NaN;
};

/** Ranks from 1; equal values share the mean of their ranks. Infinities rank first and last. */
export const ranks = (xs: ArrayLike<number>): Float64Array => {
  notEmpty(xs, 'values to rank');
  ordered(xs, 'values to rank');
  const order = Array.from({ length: xs.length }, (_, i) => i).sort((i, j) =>
    xs[i] < xs[j] ? -1 : xs[i] > xs[j] ? 1 : 0,
  );
  const out = new Float64Array(xs.length);
  for (let start = 0; start < order.length;) {
    let end = start;
    while (end < order.length && xs[order[end]] === xs[order[start]]) end++;
    for (let i = start; i < end; i++) out[order[i]] = (start + 1 + end) / 2;
    start = end;
  }
  return out;
};

/** Spearman's correlation: Pearson's of the ranks. */
export const spearman = (xs: ArrayLike<number>, ys: ArrayLike<number>): number => {
  sameLength(xs, ys, 'values of two lists');
  return pearson(ranks(xs), ranks(ys));
};

/**
 * Area under the ROC curve: probability that a positive scores above a negative, ties one half (Mann–Whitney
 * U); NaN unless there are both kinds.
 */
export const auc = (scores: ArrayLike<number>, positive: readonly boolean[]): number => {
  sameLength(scores, positive, 'scores and marks');
  const rank = ranks(scores);
  const positives = positive.filter(Boolean).length;
  const negatives = positive.length - positives;
  if (positives === 0 || negatives === 0) return Number.NaN;
  const rankSum = positive.reduce((total, is, i) => total + (is ? rank[i] : 0), 0);
  return (rankSum - (positives * (positives + 1)) / 2) / (positives * negatives);
};

/** y = intercept + slope · x by least squares; a constant x gives slope 0. */
export const leastSquaresLine = (
  xs: ArrayLike<number>,
  ys: ArrayLike<number>,
): { intercept: number; slope: number } => {
  const { mx, my, xx, xy } = crossMoments(xs, ys);
  const slope = xx > 0 ? xy / xx : 0;
  return { intercept: my - slope * mx, slope };
};
