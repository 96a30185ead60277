import type { LabelMode } from './mode.ts';

export const pair: LabelMode = {
  id: 'pair',
  title: 'Pairs',
  summary: 'Which of two answers is better?',
  answers: { least: 2, most: 2 },
  value: null,
  pairs: () => [],
};
