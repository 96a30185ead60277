/** Pairs of answers as differences of their features, and the logistic loss of weights on them. */

export interface Comparisons {
  /** P × F, row by row: features of the chosen answer minus those of the rejected one. */
  readonly differences: Float64Array;
  readonly width: number;
  /** P: probability that the chosen answer is better; P: weight of a pair. */
  readonly targets: Float64Array;
  readonly weights: Float64Array;
}

/**
 * Differences of paired rows, each feature divided by its root mean square; a feature that never differs
 * keeps scale 1.
 */
export const standardized = (
  values_RF: Float64Array,
  width: number,
  pairs: number,
): { differences: Float64Array; scale: Float64Array } => {
  const differences = new Float64Array(pairs * width);
  for (let p = 0; p < pairs; p++)
    for (let f = 0; f < width; f++)
      differences[p * width + f] = values_RF[2 * p * width + f] - values_RF[(2 * p + 1) * width + f];
  return { differences, scale: rescale(differences, width) };
};

/** Divides each feature in place by its root mean square over the pairs, and returns the divisors. */
export const rescale = (differences: Float64Array, width: number): Float64Array => {
  const scale = new Float64Array(width);
  const pairs = width === 0 ? 0 : differences.length / width;
  for (let p = 0; p < pairs; p++) for (let f = 0; f < width; f++) scale[f] += differences[p * width + f] ** 2;
  for (let f = 0; f < width; f++) scale[f] = scale[f] > 0 ? Math.sqrt(scale[f] / pairs) : 1;
  for (let p = 0; p < pairs; p++) for (let f = 0; f < width; f++) differences[p * width + f] /= scale[f];
  return scale;
};

export const subset = (data: Comparisons, keep: (pair: number) => boolean): Comparisons => {
  const pairs = [...data.targets.keys()].filter(keep);
  const differences = new Float64Array(pairs.length * data.width);
  pairs.forEach((p, at) =>
    differences.set(data.differences.subarray(p * data.width, (p + 1) * data.width), at * data.width),
  );
  return {
    differences,
    width: data.width,
    targets: Float64Array.from(pairs, (p) => data.targets[p]),
    weights: Float64Array.from(pairs, (p) => data.weights[p]),
  };
};

/** Inner product of each pair's differences with weights. */
export const marginsOf = (data: Comparisons, weights: Float64Array): Float64Array => {
  const { differences, width } = data;
  const margins = new Float64Array(data.targets.length);
  // two sums at once, so that an addition need not wait for the one before it
  const even = width - (width % 2);
  for (let p = 0; p < margins.length; p++) {
    const row = p * width;
    let left = 0;
    let right = 0;
    for (let f = 0; f < even; f += 2) {
      left += differences[row + f] * weights[f];
      right += differences[row + f + 1] * weights[f + 1];
    }
    if (even < width) left += differences[row + even] * weights[even];
    margins[p] = left + right;
  }
  return margins;
};

/** log(1 + e^x) without overflow. */
const softplus = (x: number): number => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));

/** Weighted sums over pairs with these margins: logistic loss, right choices (a zero margin counts half), weight. */
export const judge = (
  { targets, weights }: Pick<Comparisons, 'targets' | 'weights'>,
  margins: Float64Array,
): { loss: number; right: number; count: number } => {
  let [loss, right, count] = [0, 0, 0];
  targets.forEach((target, p) => {
    const margin = margins[p];
    loss += weights[p] * (target * softplus(-margin) + (1 - target) * softplus(margin));
    right += weights[p] * (margin > 0 ? target : margin < 0 ? 1 - target : 0.5);
    count += weights[p];
  });
  return { loss, right, count };
};
