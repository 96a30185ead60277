import { passAtK } from '../../../evaluate/index.ts';
import type { SearchRule } from '../rule.ts';

/** Upper bound of every rule: one of the n answers is right. */
export const oracle: SearchRule = {
  id: 'oracle',
  title: 'oracle (pass@n)',
  summary: 'One of the n answers is right: the upper bound of every rule.',
  cites: 'arXiv:2107.03374',
  by: 'nothing',
  accuracy: ({ problem: { correct }, n }) =>
    passAtK(correct.length, correct.filter((right) => right === 1).length, n),
};
