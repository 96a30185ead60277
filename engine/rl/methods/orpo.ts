import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import { sum, weighted } from '../kernel/objective.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
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
    lambda: range.positive.default(0.1).describe('Weight of the odds ratio beside the likelihood.'),
    average: shared.chosenCounts.default('token'),
    ties: shared.ties.default('drop'),
  }),
  suggested: constantRate(1e-4, { steps: 150, batch: 32 }),
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
