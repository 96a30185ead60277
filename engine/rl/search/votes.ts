/** Votes: what a winner's chance to be right is, over subsets of a problem's answers. */
import { choose } from './subsets.ts';
import type { TriedProblem } from './tried.ts';

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Chance that the winner of a weighted vote is right. `voters`: places of the answers that vote; `weights`:
 * their weights, one per voter. Answers that tie for the most weight share the chance; if no answer can be
 * read, all texts do. A winner whose texts are judged differently is right with their mean.
 */
export const voteChance = (
  { answers, correct }: Pick<TriedProblem, 'answers' | 'correct'>,
  voters: readonly number[],
  weights: ArrayLike<number>,
): number => {
  const found = new Map<string, { weight: number; right: number[] }>();
  voters.forEach((place, at) => {
    const answer = answers[place];
    if (answer === null) return;
    const votes = found.get(answer) ?? { weight: 0, right: [] };
    votes.weight += weights[at];
    votes.right.push(correct[place]);
    found.set(answer, votes);
  });
  if (found.size === 0) return meanOf(voters.map((place) => correct[place]));
  const most = Math.max(...[...found.values()].map(({ weight }) => weight));
  return meanOf(
    [...found.values()].filter(({ weight }) => weight === most).map(({ right }) => meanOf(right)),
  );
};

/** Equal answers: how many, and the share of them that is right. */
interface Votes {
  readonly count: number;
  readonly right: number;
}

const countVotes = ({ answers, correct }: Pick<TriedProblem, 'answers' | 'correct'>) => {
  const groups = [...Map.groupBy(correct.keys(), (at) => answers[at])].map(([answer, places]) => ({
    answer,
    count: places.length,
    right: meanOf(places.map((at) => correct[at])),
  }));
  const silent: Votes = groups.find(({ answer }) => answer === null) ?? { count: 0, right: 0 };
  return { votes: groups.filter(({ answer }) => answer !== null) as readonly Votes[], silent };
};

/**
 * Number of ways to draw x of the others' answers, none of them more than `most` times, by the number of
 * answers that are drawn exactly `most` times: `ways[x][ties]`.
 */
const waysBelow = (others: readonly Votes[], most: number, size: number): Float64Array[] => {
  const ties = Math.floor(size / most);
  const fresh = () => Array.from({ length: size + 1 }, () => new Float64Array(ties + 1));
  let ways = fresh();
  ways[0][0] = 1;
  for (const { count } of others) {
    const next = fresh();
    for (let drawn = 0; drawn <= Math.min(count, most, size); drawn++) {
      const chosen = choose(count, drawn);
      const tie = Number(drawn === most);
      for (let x = 0; x + drawn <= size; x++)
        for (let t = 0; t + tie <= ties; t++) next[x + drawn][t + tie] += chosen * ways[x][t];
    }
    ways = next;
  }
  return ways;
};

/**
 * Expected accuracy of the majority of n of a problem's N answers, exactly, over all C(N, n) subsets. Ties are
 * broken at random; an answer that cannot be read is drawn but does not vote.
 */
export const majorityChance = (problem: Pick<TriedProblem, 'answers' | 'correct'>, n: number): number => {
  if (n === problem.correct.length) {
    const all = [...problem.correct.keys()];
    return voteChance(problem, all, new Float64Array(n).fill(1));
  }
  const { votes, silent } = countVotes(problem);
  let expected = choose(silent.count, n) * silent.right;
  votes.forEach(({ count, right }, own) => {
    if (right === 0) return;
    const others = votes.filter((_, at) => at !== own);
    for (let most = 1; most <= Math.min(count, n); most++) {
      const rest = n - most;
      let ways = 0;
      waysBelow(others, most, rest).forEach((byTies, x) => {
        const free = choose(silent.count, rest - x);
        byTies.forEach((number, ties) => {
          ways += (number * free) / (ties + 1);
        });
      });
      expected += choose(count, most) * ways * right;
    }
  });
  return expected / choose(problem.correct.length, n);
};
