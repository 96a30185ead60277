import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { pipe, when } from '../kernel/stage.ts';

/**
 * Least squares on the difference of log-ratios: it stops at the margin 1 ⁄ (2τ), however sure the labels
 * are.
 */
export const ipo = defineMethod({
  id: 'ipo',
  title: 'Identity Preference Optimization',
  summary: 'Widens the gap between preferred and rejected answers to a set size, and no further.',
  cites: 'arXiv:2310.12036',
  task: 'preferences',
  produces: 'policy',
  params: z.strictObject({
    tau: range.positive
      .default(0.1)
      .describe('How closely to stay to the initial policy: the margin aimed at is 1 / (2τ).'),
    average: z
      .enum(['sum', 'mean'])
      .default('mean')
      .describe(
        'Log-ratio of an answer: over all its tokens as in the paper, or per token, which suits answers ' +
          'of unequal length.',
      ),
    ties: shared.ties.default('drop'),
  }),
  suggested: constantRate(1e-4, { steps: 150, batch: 32 }),
  optimum: (world, p) =>
    world.fixedPoint({ divergence: 'policy-to-reference', weight: p.tau, earns: 'wins' }),
  sanity: {
    world: 'toy/pairs',
    metric: 'preference-evaluation/accuracy',
    atLeast: 0.9,
    run: { optimizer: { learningRate: 0.003 }, budget: { steps: 60, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.pairs, when(p.ties === 'drop', part.dropTies), part.logpUnder('initial')),
      objective: part.ratioMargin({
        average: p.average,
        loss: part.squaredLoss({ target: 1 / (2 * p.tau) }),
      }),
    }),
});
