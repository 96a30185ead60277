import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import { sum, weighted } from '../kernel/objective.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, shared } from '../kernel/shared.ts';
import { pipe, when } from '../kernel/stage.ts';

/**
 * DPO with a uniform reference, held in place by the likelihood of the preferred answers: one model in memory
 * instead of two.
 */
export const cpo = defineMethod({
  id: 'cpo',
  title: 'Contrastive Preference Optimization',
  summary:
    'Contrasts preferred with rejected answers without a reference model, and imitates the preferred ones.',
  cites: 'arXiv:2401.08417',
  task: 'preferences',
  produces: 'policy',
  params: z.strictObject({
    beta: shared.scale.default(0.1),
    sftWeight: shared.sftWeight.default(1),
    average: shared.chosenCounts.default('token'),
    labelSmoothing: shared.labelSmoothing.default(0),
    ties: shared.ties.default('drop'),
  }),
  suggested: constantRate(1e-4, { steps: 150, batch: 32 }),
  sanity: {
    world: 'toy/pairs',
    metric: 'preference-evaluation/accuracy',
    atLeast: 0.9,
    params: { beta: 1, sftWeight: 0.1 },
    run: { optimizer: { learningRate: 0.003 }, budget: { steps: 60, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.pairs, when(p.ties === 'drop', part.dropTies)),
      objective: sum(
        part.plainMargin({ beta: p.beta, loss: part.logisticLoss({ labelSmoothing: p.labelSmoothing }) }),
        weighted(p.sftWeight, part.likelihoodOf({ side: 0, average: p.average })),
      ),
    }),
});
