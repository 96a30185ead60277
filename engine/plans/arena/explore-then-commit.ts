import { leastOf, rewardsOf, type ArenaRule } from './rule.ts';

/** Robbins 1952; Lattimore and Szepesvári 2020, Bandit Algorithms, Algorithm 1. */
export const exploreThenCommit: ArenaRule = {
  id: 'explore-then-commit',
  title: 'Explore, then commit',
  summary: 'Every candidate gets the same few budgets, then the best of them on average gets all others.',
  pick: (pulls, among, { trials = 1 }) => {
    const tried = (arm: number): readonly number[] => rewardsOf(pulls, arm).slice(0, trials);
    const next = leastOf(among, (arm) => tried(arm).length);
    if (tried(next).length < trials) return next;
    return leastOf(among, (arm) => -tried(arm).reduce((sum, reward) => sum + reward, 0));
  },
};
