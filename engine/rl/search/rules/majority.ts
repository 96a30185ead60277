import type { SearchRule } from '../rule.ts';
import { majorityChance } from '../votes.ts';

/** Self-consistency: the answer that most of n texts end with; exact over all subsets. */
export const majority: SearchRule = {
  id: 'majority',
  title: 'majority vote',
  summary: 'The answer that most texts end with (self-consistency).',
  cites: 'arXiv:2203.11171',
  by: 'nothing',
  accuracy: ({ problem, n }) => majorityChance(problem, n),
};
