import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import { sum, weighted } from '../kernel/objective.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { pipe, when } from '../kernel/stage.ts';

/**
 * Three answers to a prompt: the chosen one must lead the rejected one, and a gold answer is imitated, in
 * one stage without a reference model.
 */
export const tpo = defineMethod({
  id: 'tpo',
  title: 'Triple Preference Optimization',
  summary: 'Contrasts chosen with rejected answers while imitating a gold answer to the same prompt.',
  cites: 'arXiv:2405.16681',
  task: 'preferences',
  produces: 'policy',
  params: z.strictObject({
    beta: shared.scale.default(0.1),
    alpha: range.weight
      .default(1)
      .describe('Weight of the likelihood of the gold answer (the chosen one where none is known).'),
    average: z
      .enum(['sum', 'mean'])
      .default('sum')
      .describe('Log-probability of an answer: over all its tokens, or per token (TPO-L).'),
    gamma: shared.gamma.default(0),
    ties: shared.ties.default('drop'),
  }),
  presets: { 'tpo-l': { average: 'mean', beta: 2, gamma: 1 } },
  suggested: constantRate(1e-4, { steps: 150, batch: 32 }),
  sanity: {
    world: 'toy/pairs',
    metric: 'preference-evaluation/accuracy',
    atLeast: 0.9,
    params: { beta: 1, alpha: 0.1 },
    run: { optimizer: { learningRate: 3e-3 }, budget: { steps: 60, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.triples, when(p.ties === 'drop', part.dropTies)),
      objective: sum(
        part.plainMargin({
          unit: 3,
          beta: p.beta,
          average: p.average,
          loss: part.logisticLoss({ target: p.gamma }),
        }),
        weighted(p.alpha, part.likelihoodOf({ side: 2, unit: 3, average: 'token' })),
      ),
    }),
});
