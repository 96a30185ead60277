import { z } from 'zod';
import { defineMethod } from '../kernel/method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { pipe, when } from '../kernel/stage.ts';

/**
 * Preferences on mean log-probabilities with a target margin: no reference model, and length earns nothing.
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
    beta: z
      .number()
      .positive()
      .max(100)
      .default(2)
      .describe('What mean log-probabilities are multiplied by.'),
    gamma: z
      .number()
      .min(0)
      .max(100)
      .default(1)
      .describe('Margin aimed at, in units of the scaled difference.'),
    smoothing: z
      .number()
      .min(0)
      .max(0.49)
      .default(0)
      .describe('Assumed share of labels that are the wrong way round.'),
    ties: z
      .enum(['drop', 'half'])
      .default('drop')
      .describe('Pairs judged equal: left out, or half a preference for each side.'),
  }),
  suggested: {
    optimizer: { learningRate: 5e-5, schedule: 'constant', warmup: 5 },
    budget: { steps: 150, batch: 32 },
  },
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
        loss: part.logisticLoss({ target: p.gamma, smoothing: p.smoothing }),
      }),
    }),
});
