/** Penalised logistic regression without an intercept, in float64: small, exact, and bitwise reproducible. */
import { part, pause } from '../../../pace/index.ts';
import { WhetstoneError } from '../../../common/errors.ts';

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
  const scale = new Float64Array(width);
  for (let p = 0; p < pairs; p++) {
    for (let f = 0; f < width; f++) {
      const d = values_RF[2 * p * width + f] - values_RF[(2 * p + 1) * width + f];
      differences[p * width + f] = d;
      scale[f] += d * d;
    }
  }
  for (let f = 0; f < width; f++) scale[f] = scale[f] > 0 ? Math.sqrt(scale[f] / pairs) : 1;
  for (let at = 0; at < differences.length; at++) differences[at] /= scale[at % width];
  return { differences, scale };
};

/** Penalties to try, per pair, from strong to weak: each fit starts from the one before. */
export const PENALTIES = [10, 3, 1, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001] as const;

export interface Fitted {
  readonly weights: Float64Array;
  readonly penalty: number;
  /** On the training pairs, and on pairs of left-out prompts. */
  readonly loss: number;
  readonly accuracy: number;
  readonly heldoutLoss?: number;
  readonly heldoutAccuracy?: number;
}

/** Penalty if there is nothing to choose it by. */
const ALONE = 1;

/**
 * Chooses the penalty with the lowest loss on left-out prompts, then fits all pairs with it. A prompt's
 * pairs stay in one fold. With pairs of a single prompt there is no cross-validation: then the penalty is 1,
 * and there is no held-out loss.
 */
export const crossValidated = async ({
  groups,
  folds,
  ...data
}: Comparisons & { readonly groups: Float64Array; readonly folds: number }): Promise<Fitted> => {
  const order = [...new Set(groups)].sort((a, b) => a - b);
  const parts = Math.min(folds, order.length);
  const fitted = (weights: Float64Array, penalty: number) => {
    const { loss, right, count } = judge(data, weights);
    return { weights, penalty, loss: loss / count, accuracy: right / count };
  };
  if (parts < 2) return fitted(await fitLogistic(data, ALONE), ALONE);
  const foldOf = new Map(order.map((group, at) => [group, at % parts]));
  const scores = PENALTIES.map(() => ({ loss: 0, right: 0, count: 0 }));
  for (let fold = 0; fold < parts; fold++) {
    const inside = subset(data, (p) => foldOf.get(groups[p]) !== fold);
    const outside = subset(data, (p) => foldOf.get(groups[p]) === fold);
    const found = await part(fold / (parts + 1), (fold + 1) / (parts + 1), () => path(inside));
    found.forEach((weights, at) => {
      const { loss, right, count } = judge(outside, weights);
      scores[at].loss += loss;
      scores[at].right += right;
      scores[at].count += count;
    });
  }
  const best = scores.reduce((found, score, at) => (score.loss < scores[found].loss ? at : found), 0);
  const { loss, right, count } = scores[best];
  const solution = await part(parts / (parts + 1), 1, () => path(data, best));
  return {
    ...fitted(solution[best], PENALTIES[best]),
    heldoutLoss: loss / count,
    heldoutAccuracy: right / count,
  };
};

const subset = (data: Comparisons, keep: (pair: number) => boolean): Comparisons => {
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

/** Solutions for each penalty, strong to weak, up to number `last`. */
const path = async (data: Comparisons, last = PENALTIES.length - 1): Promise<Float64Array[]> => {
  const found: Float64Array[] = [];
  for (let at = 0; at <= last; at++) {
    await pause(at / (last + 1));
    found.push(await fitLogistic(data, PENALTIES[at], found[at - 1]));
  }
  return found;
};

const marginOf = ({ differences, width }: Comparisons, pair: number, weights: Float64Array): number => {
  let margin = 0;
  for (let f = 0, at = pair * width; f < width; f++, at++) margin += differences[at] * weights[f];
  return margin;
};

/** log(1 + e^x) without overflow. */
const softplus = (x: number): number => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));

const judge = (data: Comparisons, weights: Float64Array): { loss: number; right: number; count: number } => {
  let [loss, right, count] = [0, 0, 0];
  data.targets.forEach((target, p) => {
    const margin = marginOf(data, p, weights);
    loss += data.weights[p] * (target * softplus(-margin) + (1 - target) * softplus(margin));
    right += data.weights[p] * (margin > 0 ? target : margin < 0 ? 1 - target : 0.5);
    count += data.weights[p];
  });
  return { loss, right, count };
};

/**
 * Minimises mean logistic loss + penalty ⁄ 2 · |w|² by Newton's method (iteratively reweighted least
 * squares), halving a step that does not descend. Throws `numeric` if it does not converge, which a positive
 * penalty rules out.
 */
export const fitLogistic = async (
  data: Comparisons,
  penalty: number,
  start?: Float64Array,
): Promise<Float64Array> => {
  const { width } = data;
  const total = data.weights.reduce((a, b) => a + b, 0);
  let weights = start?.slice() ?? new Float64Array(width);
  const penalizedLoss = (w: Float64Array) =>
    judge(data, w).loss / total + (penalty / 2) * w.reduce((a, x) => a + x * x, 0);
  let value = penalizedLoss(weights);
  for (let iteration = 0; iteration < 100; iteration++) {
    await pause();
    const { gradient, hessian } = derivatives(data, weights, penalty, total);
    const direction = solveSymmetric(hessian, gradient);
    let step = 1;
    let next = weights.map((w, f) => w - direction[f]);
    while (penalizedLoss(next) > value && step > 1e-10) {
      step /= 2;
      next = weights.map((w, f) => w - step * direction[f]);
    }
    const nextValue = penalizedLoss(next);
    if (value - nextValue <= 1e-12 * Math.max(1, value)) return nextValue <= value ? next : weights;
    [weights, value] = [next, nextValue];
  }
  throw new WhetstoneError('numeric', 'The logistic regression did not settle in 100 steps.');
};

const derivatives = (
  data: Comparisons,
  weights: Float64Array,
  penalty: number,
  total: number,
): { gradient: Float64Array; hessian: Float64Array } => {
  const { differences, width } = data;
  const gradient = weights.map((w) => penalty * w);
  const hessian = new Float64Array(width * width);
  data.targets.forEach((target, p) => {
    const probability = 1 / (1 + Math.exp(-marginOf(data, p, weights)));
    const error = (data.weights[p] * (probability - target)) / total;
    const curvature = (data.weights[p] * probability * (1 - probability)) / total;
    const row = differences.subarray(p * width, (p + 1) * width);
    for (let i = 0; i < width; i++) {
      gradient[i] += error * row[i];
      const scaled = curvature * row[i];
      for (let j = 0, at = i * width; j <= i; j++, at++) hessian[at] += scaled * row[j];
    }
  });
  for (let i = 0; i < width; i++) hessian[i * width + i] += penalty;
  return { gradient, hessian };
};

/**
 * Solves A·x = b by Cholesky; only the lower triangle of A (positive definite, n × n) is read, and it is
 * overwritten.
 */
export const solveSymmetric = (a: Float64Array, b: Float64Array): Float64Array => {
  const n = b.length;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = a[i * n + j];
      for (let k = 0; k < j; k++) sum -= a[i * n + k] * a[j * n + k];
      if (i !== j) a[i * n + j] = sum / a[j * n + j];
      else if (sum > 0) a[i * n + i] = Math.sqrt(sum);
      else throw new WhetstoneError('numeric', 'The matrix is not positive definite.');
    }
  }
  const x = b.slice();
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) x[i] -= a[i * n + k] * x[k];
    x[i] /= a[i * n + i];
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) x[i] -= a[k * n + i] * x[k];
    x[i] /= a[i * n + i];
  }
  return x;
};
