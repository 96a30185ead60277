import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import { sum, weighted } from '../kernel/objective.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { pipe, when } from '../kernel/stage.ts';

/**
 * Sequence likelihood calibration: a hinge that is 0 once the preferred answer leads by a margin,
 * regularized by imitation of the preferred answers.
 */
export const slic = defineMethod({
  id: 'slic',
  title: 'Sequence Likelihood Calibration (hinge)',
  summary:
    'Asks for a lead of the preferred answer over the rejected one, and learns nothing more from pairs that have it.',
  cites: 'arXiv:2305.10425',
  task: 'preferences',
  produces: 'policy',
  params: z.strictObject({
    against: z
      .enum(['nothing', 'initial'])
      .default('nothing')
      .describe('Whether log-likelihoods are compared as they are, or as log-ratios to the initial policy.'),
    beta: range.positive.default(1).describe('Scale of the difference.'),
    delta: range.positive.default(1).describe('Lead at which a pair costs nothing.'),
    sftWeight: shared.sftWeight.default(0.1),
    ties: shared.ties.default('drop'),
  }),
  presets: { 'hinge-norm': { against: 'initial', beta: 0.1, sftWeight: 0 } },
  suggested: constantRate(1e-4, { steps: 150, batch: 32 }),
  sanity: {
    world: 'toy/pairs',
    metric: 'preference-evaluation/accuracy',
    atLeast: 0.95,
    params: { delta: 4 },
    run: { optimizer: { learningRate: 0.003 }, budget: { steps: 60, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.pairs, when(p.ties === 'drop', part.dropTies), part.logpUnder('initial')),
      objective: sum(
        p.against === 'initial'
          ? part.ratioMargin({ beta: p.beta, loss: part.hingeLoss({ target: p.delta }) })
          : part.plainMargin({ beta: p.beta, loss: part.hingeLoss({ target: p.delta }) }),
        weighted(p.sftWeight, part.likelihoodOf({ side: 0, average: 'sequence' })),
      ),
    }),
});
