import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, shared } from '../kernel/shared.ts';
import { pipe, when } from '../kernel/stage.ts';

/** Preferences as a logistic regression on the margin of log-ratios; nothing is sampled. */
export const dpo = defineMethod({
  id: 'dpo',
  title: 'Direct Preference Optimization',
  summary: 'Makes preferred answers likelier than rejected ones, measured against the initial policy.',
  cites: 'arXiv:2305.18290',
  task: 'preferences',
  produces: 'policy',
  params: z.strictObject({
    beta: shared.beta.default(0.1),
    labelSmoothing: shared.labelSmoothing.default(0),
    ties: shared.ties.default('drop'),
  }),
  suggested: constantRate(1e-4, { steps: 150, batch: 32 }),
  optimum: (world, p) => world.fixedPoint({ divergence: 'policy-to-reference', weight: p.beta }),
  sanity: {
    world: 'toy/pairs',
    metric: 'preference-evaluation/accuracy',
    atLeast: 0.9,
    run: { optimizer: { learningRate: 3e-3 }, budget: { steps: 60, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.pairs, when(p.ties === 'drop', part.dropTies), part.logpUnder('initial')),
      objective: part.logisticMargin(p),
    }),
});
