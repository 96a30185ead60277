import { WhetstoneError } from '../common/errors.ts';

/**
 * Replaces the lower triangle of A (positive definite, n × n, row by row) by its Cholesky factor L, A = L Lᵀ;
 * the upper triangle is not read. Throws `numeric` for a matrix that is not positive definite.
 */
export const factorize = (a: Float64Array, n: number): Float64Array => {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = a[i * n + j];
      for (let k = 0, p = i * n, q = j * n; k < j; k++, p++, q++) sum -= a[p] * a[q];
      if (i !== j) a[i * n + j] = sum / a[j * n + j];
      else if (sum > 0) a[i * n + i] = Math.sqrt(sum);
      else throw new WhetstoneError('numeric', 'The matrix is not positive definite.');
    }
  }
  return a;
};

/** Solves L Lᵀ · x = b for a factor of `factorize`. */
export const solveFactorized = (lower: Float64Array, b: Float64Array): Float64Array => {
  const n = b.length;
  const x = b.slice();
  for (let i = 0; i < n; i++) {
    let sum = x[i];
    for (let k = 0, at = i * n; k < i; k++, at++) sum -= lower[at] * x[k];
    x[i] = sum / lower[i * n + i];
  }
  for (let i = n - 1; i >= 0; i--) {
    const solved = x[i] / lower[i * n + i];
    x[i] = solved;
    for (let k = 0, at = i * n; k < i; k++, at++) x[k] -= lower[at] * solved;
  }
  return x;
};

/**
 * Solves A·x = b by Cholesky; only the lower triangle of A (positive definite, n × n) is read, and it is
 * overwritten.
 */
export const solveSymmetric = (a: Float64Array, b: Float64Array): Float64Array =>
  solveFactorized(factorize(a, b.length), b);
