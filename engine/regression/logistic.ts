import { pause } from '../pace/index.ts';
import { WhetstoneError } from '../common/errors.ts';
import { factorize, solveFactorized } from './cholesky.ts';
import { judge, marginsOf, type Comparisons } from './comparisons.ts';

/**
 * Σ_p share_p · x_p x_pᵀ of the pairs, each weight divided by the total: F × F, of which only the lower
 * triangle is filled.
 */
export const gramOf = async ({ differences, width, weights }: Comparisons): Promise<Float64Array> => {
  const gram = new Float64Array(width * width);
  const total = weights.reduce((a, b) => a + b, 0);
  for (let p = 0; p < weights.length; p++) {
    if (p % 64 === 0) await pause();
    const share = weights[p] / total;
    if (share === 0) continue;
    const row = differences.subarray(p * width, (p + 1) * width);
    for (let i = 0; i < width; i++) {
      const scaled = share * row[i];
      if (scaled === 0) continue;
      const start = i * width;
      for (let j = 0; j <= i; j++) gram[start + j] += scaled * row[j];
    }
  }
  return gram;
};

/** Cholesky factor of curvature · Gram + penalty · I: close to the Hessian, so that few gradients suffice. */
export const preconditioner = (
  gram: Float64Array,
  width: number,
  curvature: number,
  penalty: number,
): Float64Array => {
  const matrix = gram.map((x) => curvature * x);
  for (let i = 0; i < width; i++) matrix[i * width + i] += penalty;
  return factorize(matrix, width);
};

const dot = (a: Float64Array, b: Float64Array): number => {
  let sum = 0;
  for (let f = 0; f < a.length; f++) sum += a[f] * b[f];
  return sum;
};

/** to += Σ_p factor_p · x_p. */
const addRows = ({ differences, width }: Comparisons, factors: Float64Array, to: Float64Array): void => {
  for (let p = 0; p < factors.length; p++) {
    const factor = factors[p];
    if (factor === 0) continue;
    for (let f = 0, at = p * width; f < width; f++, at++) to[f] += factor * differences[at];
  }
};

/** Largest share of the gradient that a step may leave unsolved. */
const UNSOLVED = 0.1;
const MOST_GRADIENTS = 250;

/** H · v with the Hessian H = Σ_p curvature_p · x_p x_pᵀ + penalty · I. */
const hessianTimes = (
  data: Comparisons,
  curvatures: Float64Array,
  penalty: number,
  v: Float64Array,
): Float64Array => {
  const along = marginsOf(data, v);
  for (let p = 0; p < along.length; p++) along[p] *= curvatures[p];
  const product = v.map((x) => penalty * x);
  addRows(data, along, product);
  return product;
};

/** Solves H · d = gradient by preconditioned conjugate gradients (Hestenes and Stiefel 1952). */
const newtonDirection = async (
  data: Comparisons,
  curvatures: Float64Array,
  penalty: number,
  gradient: Float64Array,
  factor: Float64Array,
  tolerance: number,
): Promise<Float64Array> => {
  const direction = new Float64Array(gradient.length);
  const residual = gradient.slice();
  let preconditioned = solveFactorized(factor, residual);
  const search = preconditioned.slice();
  // about twice the distance of the loss from its minimum along the way that is left
  let energy = dot(residual, preconditioned);
  const start = energy;
  const enough = Math.max(Math.min(UNSOLVED ** 2, start) * start, tolerance);
  for (let step = 0; step < MOST_GRADIENTS && energy > enough; step++) {
    await pause();
    const product = hessianTimes(data, curvatures, penalty, search);
    const along = energy / dot(search, product);
    for (let f = 0; f < direction.length; f++) {
      direction[f] += along * search[f];
      residual[f] -= along * product[f];
    }
    preconditioned = solveFactorized(factor, residual);
    const next = dot(residual, preconditioned);
    const turn = next / energy;
    for (let f = 0; f < search.length; f++) search[f] = preconditioned[f] + turn * search[f];
    energy = next;
  }
  return direction;
};

/** Gradient of the penalised mean loss, and the curvature of each pair, from the margins. */
const derivatives = (
  data: Comparisons,
  weights: Float64Array,
  margins: Float64Array,
  penalty: number,
  total: number,
): { gradient: Float64Array; curvatures: Float64Array } => {
  const errors = new Float64Array(margins.length);
  const curvatures = new Float64Array(margins.length);
  for (let p = 0; p < margins.length; p++) {
    const probability = 1 / (1 + Math.exp(-margins[p]));
    errors[p] = (data.weights[p] * (probability - data.targets[p])) / total;
    curvatures[p] = (data.weights[p] * probability * (1 - probability)) / total;
  }
  const gradient = weights.map((w) => penalty * w);
  addRows(data, errors, gradient);
  return { gradient, curvatures };
};

/** Start of a fit: weights, and a factor of `preconditioner` for similar data and penalty. */
export interface Start {
  readonly weights?: Float64Array;
  readonly factor?: Float64Array;
  /** Distance from the minimum, in nats a pair, at which the fit ends. */
  readonly tolerance?: number;
}

/**
 * Minimises mean logistic loss + penalty ⁄ 2 · |w|² by Newton's method, its directions by preconditioned
 * conjugate gradients (truncated Newton: Dembo and Steihaug 1983), halving a step that does not descend.
 * Throws `numeric` if it does not converge, which a positive penalty rules out.
 */
export const fitLogistic = async (
  data: Comparisons,
  penalty: number,
  start: Start = {},
): Promise<Float64Array> => {
  const { width } = data;
  const { tolerance = 1e-12 } = start;
  const total = data.weights.reduce((a, b) => a + b, 0);
  let weights = start.weights?.slice() ?? new Float64Array(width);
  let margins = marginsOf(data, weights);
  const factor = start.factor ?? preconditioner(await gramOf(data), width, 0.25, penalty);
  const valueAt = (w: Float64Array, of: Float64Array) =>
    judge(data, of).loss / total + (penalty / 2) * w.reduce((a, x) => a + x * x, 0);
  let value = valueAt(weights, margins);
  for (let iteration = 0; iteration < 100; iteration++) {
    await pause();
    const { gradient, curvatures } = derivatives(data, weights, margins, penalty, total);
    const direction = await newtonDirection(data, curvatures, penalty, gradient, factor, tolerance);
    const alongMargins = marginsOf(data, direction);
    let [next, nextMargins, nextValue] = [weights, margins, Number.NaN];
    for (let step = 1; step > 1e-10; step /= 2) {
      next = weights.map((w, f) => w - step * direction[f]);
      nextMargins = margins.map((m, p) => m - step * alongMargins[p]);
      nextValue = valueAt(next, nextMargins);
      if (nextValue <= value) break;
    }
    if (!(value - nextValue > tolerance * Math.max(1, value))) {
      if (!Number.isFinite(value)) break;
      return nextValue <= value ? next : weights;
    }
    [weights, margins, value] = [next, nextMargins, nextValue];
  }
  throw new WhetstoneError('numeric', 'The logistic regression did not settle in 100 steps.');
};
