import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { pipe, when } from '../kernel/stage.ts';

/**
 * Preferences on mean log-probabilities with a target margin: no reference model, and no length advantage.
 */
export const simpo = defineMethod({
  id: 'simpo',
  title: 'Simple Preference Optimization',
  summary:
    'Makes the mean log-probability of preferred answers lead that of rejected ones by a margin; needs no ' +
    'reference model.',
  cites: 'arXiv:2405.14734',
  task: 'preferences',
  produces: 'policy',
  params: z.strictObject({
    beta: range.positive.default(2).describe('Scale of mean log-probabilities.'),
    gamma: shared.gamma.default(1),
    labelSmoothing: shared.labelSmoothing.default(0),
    ties: shared.ties.default('drop'),
  }),
  suggested: constantRate(5e-5, { steps: 150, batch: 32 }),
  sanity: {
    world: 'toy/pairs',
    metric: 'preference-evaluation/accuracy',
    atLeast: 0.9,
    run: { optimizer: { learningRate: 0.003 }, budget: { steps: 60, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.pairs, when(p.ties === 'drop', part.dropTies)),
      objective: part.plainMargin({
        beta: p.beta,
        average: 'mean',
        loss: part.logisticLoss({ target: p.gamma, labelSmoothing: p.labelSmoothing }),
      }),
    }),
});
