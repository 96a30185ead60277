/** Decisions from which on a judge is fitted: with fewer its accuracy is not told from chance. */
export const judgedFrom = 50;

/** A judge's settings before anything was chosen; `model: null` stands for text statistics. */
export const defaultJudge = {
  order: 'random',
  params: {},
  model: null,
  every: 20,
  candidates: 2000,
} as const;
