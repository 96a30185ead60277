import { ranks } from '../../../evaluate/index.ts';
import { overSubsets, type SearchRule } from '../rule.ts';
import { voteChance } from '../votes.ts';

/**
 * Votes of n texts by their rank: (n − rank + 1)^power, rank 1 for the highest value; equal values share their
 * mean rank.
 */
export const bordaVotes = (values: readonly number[], power: number): number[] =>
  Array.from(ranks(values), (fromLowest) => fromLowest ** power);

/** Borda voting: texts vote with a power of their rank by a scorer; power 0 is the majority vote. */
export const borda: SearchRule = {
  id: 'borda',
  title: 'Borda vote',
  summary:
    'Texts vote with a power of their rank by a scorer, as the paper does by self-certainty: power 0 is the ' +
    'majority vote, a large one best-of-n.',
  cites: 'arXiv:2502.18581',
  by: 'each scorer',
  accuracy: (view) => {
    const { problem, scorer, rankPower } = view;
    const values = problem.scores[scorer];
    return overSubsets(view, (places) =>
      voteChance(
        problem,
        places,
        bordaVotes(
          places.map((place) => values[place]),
          rankPower,
        ),
      ),
    );
  },
};
