import { leastOf, rewardsOf, type ArenaRule } from './rule.ts';

/** The baseline of every other rule: the candidates in turn. */
export const evenly: ArenaRule = {
  id: 'uniform',
  title: 'In turn',
  summary: 'Every candidate gets the same budget, whatever it has reached.',
  pick: (pulls, among) => leastOf(among, (arm) => rewardsOf(pulls, arm).length),
};
