import { z } from 'zod';
import { defineMethod } from '../kernel/method.ts';
import { sum, weighted } from '../kernel/objective.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { pipe, when } from '../kernel/stage.ts';

/**
 * Imitation and preference in one stage: the likelihood of preferred answers, and the odds ratio between them
 * and the rejected ones.
 */
export const orpo = defineMethod({
  id: 'orpo',
  title: 'Odds Ratio Preference Optimization',
  summary:
    'Imitates preferred answers and lowers the odds of rejected ones in the same step; needs no reference model.',
  cites: 'arXiv:2403.07691',
  task: 'preferences',
  produces: 'policy',
  params: z.strictObject({
    lambda: z
      .number()
      .positive()
      .max(100)
      .default(0.1)
      .describe('Weight of the odds ratio beside the likelihood.'),
    average: z
      .enum(['token', 'sequence'])
      .default('token')
      .describe('Whether every token of the preferred answers counts the same, or every answer.'),
    ties: z
      .enum(['drop', 'half'])
      .default('drop')
      .describe('Pairs judged equal: left out, or half a preference for each side.'),
  }),
  suggested: {
    optimizer: { learningRate: 1e-4, schedule: 'constant', warmup: 5 },
    budget: { steps: 150, batch: 32 },
  },
  sanity: {
    world: 'toy/pairs',
    metric: 'preference-evaluation/accuracy',
    atLeast: 0.9,
    params: { lambda: 5 },
    run: { optimizer: { learningRate: 0.003 }, budget: { steps: 60, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.pairs, when(p.ties === 'drop', part.dropTies)),
      objective: sum(
        part.likelihoodOf({ side: 0, average: p.average }),
        weighted(
          p.lambda,
          part.plainMargin({ average: 'mean', score: part.logOdds, loss: part.logisticLoss() }),
        ),
      ),
    }),
});
