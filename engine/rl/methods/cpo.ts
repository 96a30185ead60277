import { z } from 'zod';
import { defineMethod } from '../kernel/method.ts';
import { sum, weighted } from '../kernel/objective.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
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
    beta: z
      .number()
      .positive()
      .max(100)
      .default(0.1)
      .describe('What log-probabilities are multiplied by before they are compared.'),
    imitation: z
      .number()
      .min(0)
      .max(100)
      .default(1)
      .describe('Weight of the likelihood of the preferred answers.'),
    average: z
      .enum(['token', 'sequence'])
      .default('token')
      .describe('Whether every token of the preferred answers counts the same, or every answer.'),
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
    optimizer: { learningRate: 1e-4, schedule: 'constant', warmup: 5 },
    budget: { steps: 150, batch: 32 },
  },
  sanity: {
    world: 'toy/pairs',
    metric: 'preference-evaluation/accuracy',
    atLeast: 0.9,
    params: { beta: 1, imitation: 0.1 },
    run: { optimizer: { learningRate: 0.003 }, budget: { steps: 60, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.pairs, when(p.ties === 'drop', part.dropTies)),
      objective: sum(
        part.plainMargin({ beta: p.beta, loss: part.logisticLoss({ smoothing: p.smoothing }) }),
        weighted(p.imitation, part.likelihoodOf({ side: 0, average: p.average })),
      ),
    }),
});
