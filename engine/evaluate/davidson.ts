import { WhetstoneError } from '../common/errors.ts';
import { everyItemReaches, solve } from './bradley-terry.ts';
import { notNegative } from './inputs.ts';

export interface DavidsonFit {
  /** Log-abilities; item 0 is the reference with 0. */
  readonly abilities: Float64Array;
  /** Covariance of the abilities, from the inverse observed information; the row and column of item 0 are 0. */
  readonly covariance: readonly (readonly number[])[];
  /** ν: the probability of a tie between equal items is ν ∕ (2 + ν). 0 without ties. */
  readonly ties: number;
  readonly iterations: number;
}

/** Outcomes of one pair of items, and how often each occurred. */
interface Outcomes {
  readonly i: number;
  readonly j: number;
  readonly counts: readonly [first: number, second: number, tie: number];
}

/**
 * Maximum-likelihood abilities with ties (Davidson 1970): P(i beats j) ∝ π_i, P(tie) ∝ ν √(π_i π_j), by Newton's
 * method in ln π and ln ν, in which the likelihood is concave. `wins[i][j]`: number of times i beat j;
 * `ties[i][j]`: ties of i and j, counted in both cells. Throws `invalid-input` if no maximum exists: all
 * comparisons are ties, or some items never lost, or never won, against the rest (Ford 1957; a tie counts as
 * half of each).
 */
export const davidsonFit = (
  wins: readonly (readonly number[])[],
  ties: readonly (readonly number[])[],
): DavidsonFit => {
  const n = wins.length;
  check(wins, ties);
  const pairs = pairsOf(wins, ties);
  const hasTies = pairs.some(({ counts }) => counts[2] > 0);
  const size = n - 1 + Number(hasTies);
  const parameters = new Float64Array(size);
  const state = (): State => ({
    abilities: Float64Array.from([0, ...parameters.subarray(0, n - 1)]),
    ties: hasTies ? Math.exp(parameters[n - 1]) : 0,
  });
  for (let iteration = 1; ; iteration++) {
    const { gradient, information } = derivatives(pairs, state(), size, hasTies);
    const step = solve(information, gradient);
    const largest = Math.max(...step.map(Math.abs));
    const shrink = largest > 2 ? 2 / largest : 1; // far from the maximum, Newton's steps overshoot
    step.forEach((s, at) => (parameters[at] += shrink * s));
    if (largest < 1e-12 || iteration === 200)
      return { ...state(), covariance: covarianceOf(information, n), iterations: iteration };
  }
};

interface State {
  readonly abilities: Float64Array;
  readonly ties: number;
}

function check(wins: readonly (readonly number[])[], ties: readonly (readonly number[])[]): void {
  const n = wins.length;
  if (n < 2 || ties.length !== n || [...wins, ...ties].some((row) => row.length !== n))
    throw new WhetstoneError(
      'invalid-input',
      'Davidson’s model needs square tables of wins and ties of at least two items.',
    );
  for (const row of [...wins, ...ties]) notNegative(row, 'counts of wins and ties');
  if (ties.some((row, i) => row.some((count, j) => count !== ties[j][i])))
    throw new WhetstoneError('invalid-input', 'The table of ties is not symmetric.');
  if (wins.every((row) => row.every((count) => count === 0)))
    throw new WhetstoneError('invalid-input', 'No comparison has a winner.', { hint: 'Compare more pairs.' });
  if (!everyItemReaches(wins.map((row, i) => row.map((won, j) => won + ties[i][j] / 2))))
    throw new WhetstoneError(
      'invalid-input',
      'The comparisons do not tie all items together: some of them never lost (or never won) against the rest.',
      { hint: 'Compare more pairs.' },
    );
}

function pairsOf(wins: readonly (readonly number[])[], ties: readonly (readonly number[])[]): Outcomes[] {
  return wins.flatMap((row, i) =>
    row.slice(0, i).map((won, j): Outcomes => ({ i, j, counts: [won, wins[j][i], ties[i][j]] })),
  );
}

/** Gradient and observed information of the log-likelihood of the free parameters. */
function derivatives(pairs: readonly Outcomes[], { abilities, ties }: State, size: number, hasTies: boolean) {
  const gradient = new Array<number>(size).fill(0);
  const information = gradient.map(() => new Array<number>(size).fill(0));
  for (const { i, j, counts } of pairs) {
    const games = counts[0] + counts[1] + counts[2];
    if (games === 0) continue;
    // relative to item j's ability, so that no exponential overflows in the middle
    const half = (abilities[i] - abilities[j]) / 2;
    const weights = [Math.exp(half), Math.exp(-half), ties];
    const total = weights[0] + weights[1] + weights[2];
    // statistics of each outcome: of ability i, of ability j, of ln ν
    const outcomes = [
      [1, 0, 0],
      [0, 1, 0],
      [0.5, 0.5, 1],
    ];
    const places = [i - 1, j - 1, hasTies ? size - 1 : -1];
    const expected = [0, 1, 2].map((k) =>
      outcomes.reduce((sum, outcome, at) => sum + (outcome[k] * weights[at]) / total, 0),
    );
    for (const [k, row] of places.entries()) {
      if (row < 0) continue;
      gradient[row] +=
        outcomes.reduce((sum, outcome, at) => sum + counts[at] * outcome[k], 0) - games * expected[k];
      for (const [l, column] of places.entries()) {
        if (column < 0) continue;
        const both = outcomes.reduce(
          (sum, outcome, at) => sum + (outcome[k] * outcome[l] * weights[at]) / total,
          0,
        );
        information[row][column] += games * (both - expected[k] * expected[l]);
      }
    }
  }
  return { gradient, information };
}

/** Covariance of the abilities, with item 0. */
function covarianceOf(information: readonly (readonly number[])[], n: number): number[][] {
  const columns = information.map((_row, at) =>
    solve(
      information,
      information.map((_other, k) => Number(k === at)),
    ),
  );
  return Array.from({ length: n }, (_row, i) =>
    Array.from({ length: n }, (_column, j) => (i === 0 || j === 0 ? 0 : columns[j - 1][i - 1])),
  );
}
