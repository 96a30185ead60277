import { overSubsets, type SearchRule } from '../rule.ts';
import { voteChance } from '../votes.ts';

/** The highest score, and the majority vote among the texts that share it: a verdict says only yes or no. */
export const rerank: SearchRule = {
  id: 'rerank',
  title: 'rerank, ties by vote',
  summary:
    'The answers that a scorer values most vote among themselves: Self-PRM where the scorer is the policy’s own ' +
    'verdict, the majority vote where it cannot tell answers apart.',
  cites: 'arXiv:2505.11227',
  by: 'each scorer',
  accuracy: (view) => {
    const { problem, scorer } = view;
    const values = problem.scores[scorer];
    return overSubsets(view, (places) => {
      const most = Math.max(...places.map((place) => values[place]));
      const best = places.filter((place) => values[place] === most);
      return voteChance(problem, best, new Float64Array(best.length).fill(1));
    });
  },
};
