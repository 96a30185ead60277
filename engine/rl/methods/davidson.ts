import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { linearRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * Bradley–Terry with ties: a tie means that the scores are close, and how close depends on how common ties
 * are (Davidson 1970).
 */
export const davidson = defineMethod({
  id: 'davidson',
  title: 'Reward model with ties (Davidson)',
  summary: 'Learns a score from preferences with ties, which have their own probability.',
  cites: 'Davidson 1970, Journal of the American Statistical Association 65:317',
  task: 'preferences',
  produces: 'reward',
  params: z.strictObject({}),
  suggested: linearRate(1e-3, { steps: 100, batch: 64 }),
  sanity: {
    world: 'toy/pairs',
    worldParams: { ties: 0.3 },
    metric: 'loss',
    atMost: 0.5,
    run: { optimizer: { learningRate: 3e-3 }, budget: { steps: 60, batch: 32 } },
  },
  // how common ties are (ν) is the maximum-likelihood value of each batch at the current scores
  recipe: (_, task) => train({ rows: pipe(task.pairs, part.estimateTies), objective: part.davidson }),
});
