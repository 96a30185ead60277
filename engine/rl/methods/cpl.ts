import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { pipe, when } from '../kernel/stage.ts';

/**
 * Preferences as regret: a segment's score is the discounted sum of its own log-probabilities, and the worse
 * segment counts less.
 */
export const cpl = defineMethod({
  id: 'cpl',
  title: 'Contrastive Preference Learning',
  summary:
    'Reads preferences as who acted closer to the optimum: discounted log-probabilities of two segments, ' +
    'without reward or reference.',
  cites: 'arXiv:2310.13639',
  task: 'preferences',
  produces: 'policy',
  params: z.strictObject({
    alpha: range.positive.default(0.1).describe('Temperature: what log-probabilities are multiplied by.'),
    gamma: z
      .number()
      .positive()
      .max(1)
      .default(1)
      .describe('Discount from one token of a segment to the next.'),
    bias: z
      .number()
      .positive()
      .max(1)
      .default(0.5)
      .describe('How much the worse segment counts: below 1, segments that were seen stay likely.'),
    ties: shared.ties.default('drop'),
  }),
  suggested: constantRate(1e-4, { steps: 150, batch: 32 }),
  sanity: {
    world: 'toy/pairs',
    metric: 'preference-evaluation/accuracy',
    atLeast: 0.9,
    params: { alpha: 0.5, gamma: 0.95 },
    run: { optimizer: { learningRate: 3e-3 }, budget: { steps: 60, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.pairs, when(p.ties === 'drop', part.dropTies)),
      objective: part.plainMargin({
        beta: p.alpha,
        discount: p.gamma,
        pessimism: p.bias,
        loss: part.logisticLoss(),
      }),
    }),
});
