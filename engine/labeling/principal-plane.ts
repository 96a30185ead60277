import { pause } from '../pace/index.ts';
import { featureWeights, type Points } from './k-means.ts';

/** Coordinates of each point in the plane, and the share of the variance that each axis holds. */
export interface Plane {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly explained: readonly [number, number];
}

/** Rounds of rotations; a matrix of 100 × 100 needs about eight. */
const MOST_SWEEPS = 60;
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

/**
 * Eigenvalues of a symmetric n × n matrix, the largest first, and their unit vectors as columns: cyclic Jacobi
 * rotations (Golub and Van Loan, "Matrix computations", 8.5).
 */
export const symmetricEigen = (
  matrix: Float64Array,
  n: number,
): { readonly values: Float64Array; readonly vectors: Float64Array } => {
  const a = matrix.slice();
  const v = new Float64Array(n * n);
  for (let i = 0; i < n; i++) v[i * n + i] = 1;
  const norm = Math.hypot(...a);
  for (let sweep = 0; sweep < MOST_SWEEPS && offDiagonal(a, n) > 1e-14 * norm; sweep++)
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) rotate(a, v, n, p, q);
  const order = Array.from({ length: n }, (_none, i) => i).sort(
    (i, j) => a[j * n + j] - a[i * n + i] || i - j,
  );
  return {
    values: Float64Array.from(order, (i) => a[i * n + i]),
    vectors: Float64Array.from({ length: n * n }, (_none, at) => v[Math.floor(at / n) * n + order[at % n]]),
  };
};

const offDiagonal = (a: Float64Array, n: number): number => {
  let sum = 0;
  for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) sum += 2 * a[i * n + j] ** 2;
  return Math.sqrt(sum);
};

/** Rotates the rows and columns p and q so that their common entry becomes 0. */
function rotate(a: Float64Array, v: Float64Array, n: number, p: number, q: number): void {
  const entry = a[p * n + q];
  if (entry === 0) return;
  const tau = (a[q * n + q] - a[p * n + p]) / (2 * entry);
  const t = (tau >= 0 ? 1 : -1) / (Math.abs(tau) + Math.hypot(1, tau));
  const c = 1 / Math.hypot(1, t);
  const s = t * c;
  for (let k = 0; k < n; k++) turn(a, k * n + p, k * n + q, c, s);
  for (let k = 0; k < n; k++) turn(a, p * n + k, q * n + k, c, s);
  for (let k = 0; k < n; k++) turn(v, k * n + p, k * n + q, c, s);
}

function turn(m: Float64Array, i: number, j: number, c: number, s: number): void {
  const [one, other] = [m[i], m[j]];
  m[i] = c * one - s * other;
  m[j] = s * one + c * other;
}
