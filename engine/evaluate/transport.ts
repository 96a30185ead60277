/** How far two samples of points are from each other: the cost of carrying the one to the other. */
import { WhetstoneError } from '../common/errors.ts';
import { stream } from '../random/random.ts';
import { finite, notEmpty } from './inputs.ts';

/**
 * 2-Wasserstein distance of two samples of numbers: the root mean squared difference of their quantiles,
 * exactly, also for samples of unequal sizes. Throws `invalid-input` for an empty sample, `numeric` for NaN
 * and infinities.
 */
export const wasserstein = (xs: ArrayLike<number>, ys: ArrayLike<number>): number => {
  notEmpty(xs, 'values of a sample');
  notEmpty(ys, 'values of a sample');
  finite(xs, 'values of a sample');
  finite(ys, 'values of a sample');
  const [a, b] = [Float64Array.from(xs).sort(), Float64Array.from(ys).sort()];
  let [i, j, at, cost] = [0, 0, 0, 0];
  while (i < a.length && j < b.length) {
    // quantiles are steps: both are constant up to the next end of either
    const [endA, endB] = [(i + 1) / a.length, (j + 1) / b.length];
    const end = Math.min(endA, endB);
    cost += (end - at) * (a[i] - b[j]) ** 2;
    at = end;
    if (endA <= end) i++;
    if (endB <= end) j++;
  }
  return Math.sqrt(cost);
};

export interface SlicedOptions {
  /** Random directions on which both samples are projected. */
  readonly directions?: number;
  readonly seed?: number;
}

/**
 * Sliced 2-Wasserstein distance of two samples of points in D dimensions (Bonneel et al. 2015): the root mean
 * square over random directions of the distance of their projections. Moved by a vector v, a sample is ‖v‖ ⁄
 * √D away from itself, on average over directions. Throws `invalid-input` for an empty sample or points of
 * unequal dimensions.
 */
export const slicedWasserstein = (
  xs: readonly ArrayLike<number>[],
  ys: readonly ArrayLike<number>[],
  { directions = 128, seed = 0 }: SlicedOptions = {},
): number => {
  notEmpty(xs, 'points of a sample');
  notEmpty(ys, 'points of a sample');
  const width = xs[0].length;
  for (const point of [...xs, ...ys]) {
    if (point.length !== width)
      throw new WhetstoneError('invalid-input', `Points have ${width} and ${point.length} dimensions.`, {
        where: 'points',
      });
    finite(point, 'points');
  }
  const draw = stream(seed, 'directions');
  let total = 0;
  for (let k = 0; k < directions; k++) {
    const direction = unit(Float64Array.from({ length: width }, () => draw.normal()));
    total += wasserstein(projected(xs, direction), projected(ys, direction)) ** 2;
  }
  return Math.sqrt(total / directions);
};

const unit = (vector: Float64Array): Float64Array => {
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
};

const projected = (points: readonly ArrayLike<number>[], direction: Float64Array): Float64Array =>
  Float64Array.from(points, (point) => direction.reduce((sum, value, d) => sum + value * point[d], 0));
