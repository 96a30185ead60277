import type { SetOptions } from '../../engine/schema/labeling/index.ts';

/** Options of a set of which nothing was chosen. */
export const defaultOptions: SetOptions = {
  strength: true,
  reasons: ['more correct', 'more complete', 'clearer', 'more concise', 'safer'],
  flags: ['personal data', 'broken'],
  lengthBlind: false,
  guidelines: '',
  overlap: 1,
  attributes: ['helpfulness', 'correctness'],
  scale: 5,
  repeats: 0,
  repeatAfter: 20,
  gold: 0,
  consensus: 'newest',
  spanLabels: ['wrong', 'unsupported', 'good'],
};
