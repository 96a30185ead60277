import { WhetstoneError } from '../common/errors.ts';
import { shuffle, stream } from '../random/random.ts';

/** A comparison of answers of two runs to one problem: run `a` and run `b` by their indexes. */
export interface Duel {
  readonly problem: number;
  readonly a: number;
  readonly b: number;
  /** Uniform in (0, 1): which of each run's answers to the problem, as a share of their number. */
  readonly drawA: number;
  readonly drawB: number;
}

/**
 * Chooses comparisons of runs over the problems that they share: each problem once, in random order and with
 * the pairs of runs in turn, then each again with the next pair of runs, so that problems and pairs of runs are
 * compared about equally often. Returns at most `most`, and no comparison twice.
 */
export function duelPlan(runs: number, problemCount: number, most: number, seed: number): Duel[] {
  if (runs < 2) throw new WhetstoneError('invalid-input', 'A comparison needs two runs or more.');
  const problems = shuffle(
    Array.from({ length: problemCount }, (_none, problem) => problem),
    seed,
    'head-to-head problems',
  );
  const pairs = shuffle(
    Array.from({ length: runs }, (_none, a) =>
      Array.from({ length: runs - a - 1 }, (_other, i) => [a, a + 1 + i] as const),
    ).flat(),
    seed,
    'head-to-head pairs',
  );
  const plan: Duel[] = [];
  for (let round = 0; round < pairs.length; round++)
    for (const [place, problem] of problems.entries()) {
      if (plan.length >= most) return plan;
      const [a, b] = pairs[(place + round) % pairs.length];
      const random = stream(seed, 'head-to-head answers', problem, a, b);
      plan.push({ problem, a, b, drawA: random.next(), drawB: random.next() });
    }
  return plan;
}
