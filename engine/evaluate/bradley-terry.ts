import { WhetstoneError } from '../common/errors.ts';
import { notNegative } from './inputs.ts';

export interface BradleyTerryFit {
  /** Log-abilities; item 0 is the reference with 0. P(i beats j) = σ(ability_i − ability_j). */
  readonly abilities: Float64Array;
  /** Standard errors of the differences to item 0, from the inverse observed information. */
  readonly standardErrors: Float64Array;
  /**
   * Twice the log-likelihood ratio to a model with a free probability for each pair; `nullDeviance` with all
   * abilities equal.
   */
  readonly deviance: number;
  readonly nullDeviance: number;
  readonly iterations: number;
}

/**
 * Maximum-likelihood Bradley–Terry abilities (1952) by Newton's method. `wins[i][j]`: number of times i beat
 * j. Throws `invalid-input` if no maximum exists: some items can be split from the rest such that one side
 * never won across (Ford 1957).
 */
export const bradleyTerryFit = (wins: readonly (readonly number[])[]): BradleyTerryFit => {
  const n = wins.length;
  if (n < 2 || wins.some((row) => row.length !== n))
    throw new WhetstoneError('invalid-input', 'Bradley–Terry needs a square table of at least two items.');
  for (const row of wins) notNegative(row, 'counts of wins');
  if (!everyItemReaches(wins)) {
    throw new WhetstoneError(
      'invalid-input',
      'The comparisons do not tie all items together: some of them never lost (or never won) against the rest.',
      {
        hint: 'Compare more pairs, or leave out items that always won or always lost.',
      },
    );
  }
  const abilities = new Float64Array(n);
  for (let iteration = 1; ; iteration++) {
    const { gradient, information } = derivatives(wins, abilities);
    const step = solve(information, gradient);
    const largest = Math.max(...step.map(Math.abs));
    const shrink = largest > 2 ? 2 / largest : 1; // far from the maximum, Newton's steps overshoot
    step.forEach((s, i) => (abilities[i + 1] += shrink * s));
    if (largest < 1e-12 || iteration === 200) {
      return {
        abilities,
        standardErrors: Float64Array.from([
          0,
          ...information.map((_, i) => Math.sqrt(solve(information, unit(n - 1, i))[i])),
        ]),
        deviance: devianceAt(wins, abilities),
        nullDeviance: devianceAt(wins, new Float64Array(n)),
        iterations: iteration,
      };
    }
  }
};

const unit = (n: number, at: number): number[] => Array.from({ length: n }, (_, i) => Number(i === at));
const chance = (a: number, b: number): number => 1 / (1 + Math.exp(b - a));

/** Gradient and observed information of the log-likelihood in the abilities 1 … n−1. */
const derivatives = (wins: readonly (readonly number[])[], abilities: Float64Array) => {
  const n = wins.length;
  const gradient = new Array<number>(n - 1).fill(0);
  const information = gradient.map(() => new Array<number>(n - 1).fill(0));
  for (let i = 1; i < n; i++) {
    for (let j = 0; j < n; j++) {
      if (i === j) continue;
      const games = wins[i][j] + wins[j][i];
      const p = chance(abilities[i], abilities[j]);
      gradient[i - 1] += wins[i][j] - games * p;
      information[i - 1][i - 1] += games * p * (1 - p);
      if (j > 0) information[i - 1][j - 1] -= games * p * (1 - p);
    }
  }
  return { gradient, information };
};

const devianceAt = (wins: readonly (readonly number[])[], abilities: Float64Array): number => {
  const term = (won: number, games: number, p: number) => (won === 0 ? 0 : won * Math.log(won / (games * p)));
  let total = 0;
  for (let i = 0; i < wins.length; i++) {
    for (let j = 0; j < i; j++) {
      const games = wins[i][j] + wins[j][i];
      const p = chance(abilities[i], abilities[j]);
      total += 2 * (term(wins[i][j], games, p) + term(wins[j][i], games, 1 - p));
    }
  }
  return total;
};

/** Gaussian elimination with partial pivoting; the matrix is small and positive definite. */
export const solve = (matrix: readonly (readonly number[])[], right: readonly number[]): number[] => {
  const rows = matrix.map((row, i) => [...row, right[i]]);
  const n = rows.length;
  for (let c = 0; c < n; c++) {
    let pivot = c;
    for (let r = c + 1; r < n; r++) if (Math.abs(rows[r][c]) > Math.abs(rows[pivot][c])) pivot = r;
    [rows[c], rows[pivot]] = [rows[pivot], rows[c]];
    for (let r = c + 1; r < n; r++) {
      const factor = rows[r][c] / rows[c][c];
      for (let k = c; k <= n; k++) rows[r][k] -= factor * rows[c][k];
    }
  }
  const x = new Array<number>(n).fill(0);
  for (let r = n - 1; r >= 0; r--) {
    let value = rows[r][n];
    for (let k = r + 1; k < n; k++) value -= rows[r][k] * x[k];
    x[r] = value / rows[r][r];
  }
  return x;
};

/** Ford's condition: along wins, and against them, item 0 reaches every other item. */
export const everyItemReaches = (wins: readonly (readonly number[])[]): boolean =>
  [(i: number, j: number) => wins[i][j] > 0, (i: number, j: number) => wins[j][i] > 0].every((edge) => {
    const seen = new Set([0]);
    // a Set also visits items added during iteration
    for (const i of seen) wins.forEach((_, j) => edge(i, j) && seen.add(j));
    return seen.size === wins.length;
  });
