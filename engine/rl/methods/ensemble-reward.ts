import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { linearRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * Several heads on one trunk, each on its own resampled prompts; the reward is their lower confidence bound:
 * mean − caution × deviation. The paper's heads learn a deviation each, and its reward mixes the head with
 * the least deviation and the minimum; `reward-model` reads the minimum alone with `min`.
 */
export const ensembleReward = defineMethod({
  id: 'ensemble-reward',
  title: 'Ensemble of reward heads',
  summary: 'Learns several scores, each from other prompts; where they disagree, the reward is lower.',
  cites: 'arXiv:2409.15360',
  task: 'preferences',
  produces: 'reward',
  params: z.strictObject({
    heads: z
      .int()
      .min(2)
      .max(64)
      .default(5)
      .describe('Scores that are learned, each on a bootstrap sample of the prompts.'),
    caution: z
      .number()
      .min(0)
      .max(10)
      .default(1)
      .describe('The reward is the mean score minus this many deviations between the heads.'),
  }),
  suggested: linearRate(1e-3, { steps: 100, batch: 64 }),
  judgeOutput: (p) => ({ kind: 'scores', how: 'lower-bound', caution: p.caution }),
  sanity: {
    world: 'toy/pairs',
    metric: 'loss',
    atMost: 0.35,
    run: { optimizer: { learningRate: 3e-3 }, budget: { steps: 60, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.pairs),
      objective: part.ensembleEntropy(p),
      head: { kind: 'reward', labels: p.heads },
    }),
});
