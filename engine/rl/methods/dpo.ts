import { z } from 'zod';
import { defineMethod } from '../kernel/method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
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
    beta: z.number().positive().max(100).default(0.1).describe('How closely to stay to the initial policy.'),
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
