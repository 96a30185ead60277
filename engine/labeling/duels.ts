import { WhetstoneError } from '../common/errors.ts';
import { shuffle, stream } from '../random/random.ts';

/** A comparison of answers of two runs to one problem, all by their indexes. */
export interface Duel {
  readonly problem: number;
  readonly a: number;
  readonly b: number;
  /** Which of the run's answers to the problem. */
  readonly answerA: number;
  readonly answerB: number;
}

/**
 * Chooses comparisons of runs over the problems that they share: each problem once, in random order and with
 * the pairs of runs in turn, then each again with the next pair of runs, so that problems and pairs of runs are
 * compared about equally often. `answers_RP[r][p]`: number of answers of run r to problem p, at least 1. Returns
 * at most `most`, and no comparison twice.
 */
export function duelPlan(answers_RP: readonly (readonly number[])[], most: number, seed: number): Duel[] {
  const runs = answers_RP.length;
  if (runs < 2) throw new WhetstoneError('invalid-input', 'A comparison needs two runs or more.');
  const problems = shuffle(
    answers_RP[0].map((_answers, problem) => problem),
    seed,
    'head-to-head problems',
  );
  const pairs = shuffle(
    answers_RP.flatMap((_own, a) =>
      Array.from({ length: runs - a - 1 }, (_other, i) => [a, a + 1 + i] as const),
    ),
    seed,
    'head-to-head pairs',
  );
  const plan: Duel[] = [];
  for (let round = 0; round < pairs.length; round++)
    for (const [place, problem] of problems.entries()) {
      if (plan.length >= most) return plan;
      const [a, b] = pairs[(place + round) % pairs.length];
      const random = stream(seed, 'head-to-head answers', problem, a, b);
      plan.push({
        problem,
        a,
        b,
        answerA: random.int(answers_RP[a][problem]),
        answerB: random.int(answers_RP[b][problem]),
      });
    }
  return plan;
}
