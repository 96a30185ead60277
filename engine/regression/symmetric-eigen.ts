/** Rounds of rotations; a matrix of 100 × 100 needs about eight. */
const MOST_SWEEPS = 60;

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
