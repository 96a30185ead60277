import { pause } from '../pace/index.ts';
import { symmetricEigen } from '../regression/index.ts';
import { featureWeights, type Points } from './k-means.ts';

/** Coordinates of each point in the plane, and the share of the variance that each axis holds. */
export interface Plane {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly explained: readonly [number, number];
}

/** Points between two pauses. */
const SOME = 500;

/**
 * Places points in the plane of their two leading principal components (Pearson 1901), every feature scaled to
 * a mean square of 1: distances are those of the clusters, as far as a plane can show them. The direction of an
 * axis is the one in which its largest loading is positive, so equal points have equal places.
 */
export const principalPlane = async (given: Points): Promise<Plane> => {
  const { values, width } = given;
  const count = width === 0 ? 0 : values.length / width;
  const [x, y] = [new Float64Array(count), new Float64Array(count)];
  if (count < 2) return { x, y, explained: [0, 0] };
  const scales = featureWeights(given).map(Math.sqrt);
  const means = meansOf(given);
  const covariance = await covarianceOf(given, scales, means);
  const { values: variances, vectors } = symmetricEigen(covariance, width);
  const [first, second] = [0, 1].map((axis) => oriented(vectors, width, axis));
  for (let row = 0, at = 0; row < count; row++) {
    if (row % SOME === 0) await pause(0.9 + (0.1 * row) / count);
    for (let f = 0; f < width; f++, at++) {
      const value = (values[at] - means[f]) * scales[f];
      x[row] += value * first[f];
      y[row] += value * (second[f] ?? 0);
    }
  }
  const total = variances.reduce((sum, variance) => sum + Math.max(0, variance), 0);
  const share = (axis: number): number => (total > 0 ? Math.max(0, variances[axis] ?? 0) / total : 0);
  return { x, y, explained: [share(0), share(1)] };
};

const meansOf = ({ values, width }: Points): Float64Array => {
  const means = new Float64Array(width);
  for (let at = 0; at < values.length; at++) means[at % width] += values[at];
  return means.map((sum) => (sum * width) / values.length);
};

/** The width × width covariance of the scaled features. */
async function covarianceOf(
  { values, width }: Points,
  scales: Float64Array,
  means: Float64Array,
): Promise<Float64Array> {
  const count = values.length / width;
  const covariance = new Float64Array(width * width);
  const centred = new Float64Array(width);
  for (let row = 0; row < count; row++) {
    if (row % SOME === 0) await pause((0.9 * row) / count);
    for (let f = 0; f < width; f++) centred[f] = (values[row * width + f] - means[f]) * scales[f];
    for (let a = 0; a < width; a++) {
      const own = centred[a];
      for (let b = a; b < width; b++) covariance[a * width + b] += own * centred[b];
    }
  }
  for (let a = 0; a < width; a++)
    for (let b = a; b < width; b++) {
      covariance[a * width + b] /= count;
      covariance[b * width + a] = covariance[a * width + b];
    }
  return covariance;
}

/** A column of loadings, its largest one positive; the first of equally large ones decides. */
function oriented(vectors: Float64Array, width: number, column: number): Float64Array {
  if (column >= width) return new Float64Array(width);
  const loadings = Float64Array.from({ length: width }, (_none, f) => vectors[f * width + column]);
  const largest = Math.max(...loadings.map(Math.abs));
  // rounding must not decide between loadings that are equal
  const sign = loadings.find((loading) => Math.abs(loading) > largest * (1 - 1e-9)) ?? 1;
  return sign < 0 ? loadings.map((loading) => -loading) : loadings;
}
