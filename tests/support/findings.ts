import type { Doctor } from '../../preload/contract/datasets.ts';

/** Statistics of an empty file. */
export const noFindings: Doctor = {
  format: 'test',
  why: '',
  rows: 0,
  rejected: 0,
  prompts: 0,
  answers: 0,
  correct: 0,
  wrong: 0,
  unmarked: 0,
  duplicates: 0,
  pairs: 0,
  promptsWithPairs: 0,
  longestWins: null,
  shortestWins: null,
  meanAnswerCharacters: 0,
  references: 0,
  verifier: null,
  columns: [],
};
