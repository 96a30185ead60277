import { sigmoid } from '../../../evaluate/index.ts';
import { overSubsets, type SearchRule } from '../rule.ts';
import { voteChance } from '../votes.ts';

/** Votes weighted by a scorer: answers add up the scores of their texts. */
export const weightedVote: SearchRule = {
  id: 'weighted-vote',
  title: 'weighted vote',
  summary:
    'Each text votes for its answer with its score; if a scorer gives negative scores, with σ(score), as of ' +
    'a reward model.',
  cites: 'arXiv:2206.02336',
  by: 'each scorer',
  accuracy: (view) => {
    const { problem, scorer, isSigned } = view;
    const weights = problem.scores[scorer].map((score) => (isSigned ? sigmoid(score) : score));
    return overSubsets(view, (places) =>
      voteChance(
        problem,
        places,
        places.map((place) => weights[place]),
      ),
    );
  },
};
