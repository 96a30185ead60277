import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { sum, weighted } from '../kernel/objective.ts';
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
    sftWeight: shared.sftWeight.default(0),
    ties: shared.ties.default('drop'),
  }),
  suggested: constantRate(1e-4, { steps: 150, batch: 32 }),
  optimum: (world, p) =>
    p.sftWeight === 0 ? world.fixedPoint({ divergence: 'policy-to-reference', weight: p.beta }) : undefined,
  sanity: {
    world: 'toy/pairs',
    metric: 'preference-evaluation/accuracy',
    atLeast: 0.9,
    run: { optimizer: { learningRate: 3e-3 }, budget: { steps: 60, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.pairs, when(p.ties === 'drop', part.dropTies), part.logpUnder('initial')),
      objective: sum(
        part.logisticMargin(p),
        weighted(p.sftWeight, part.likelihoodOf({ side: 0, average: 'sequence' })),
      ),
    }),
});
