import { bestOfN as expected } from '../../../evaluate/index.ts';
import type { SearchRule } from '../rule.ts';

/** The answer with the highest score; exact over all subsets, equal scores share. */
export const bestOfN: SearchRule = {
  id: 'best-of-n',
  title: 'best of n',
  summary: 'The answer that a scorer values most.',
  cites: 'arXiv:2009.01325',
  by: 'each scorer',
  isBestOfN: true,
  accuracy: ({ problem: { correct, scores }, n, scorer }) =>
    expected([{ proxy: scores[scorer], gold: correct }], [n])[0].gold[0],
};
