import { z } from 'zod';
import { defineMethod } from '../kernel/method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * Policy gradient as a regression: two answers should differ in log-ratio as much as in reward; each is the
 * other’s baseline, whoever wrote them.
 */
export const copg = defineMethod({
  id: 'copg',
  title: 'Contrastive Policy Gradient',
  summary:
    'Makes the log-ratios of the answers to a prompt differ as their rewards do, whichever policy wrote them.',
  cites: 'arXiv:2406.19185',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    size: z.int().min(2).max(256).default(8).describe('Attempts per prompt.'),
    beta: z.number().positive().max(100).default(0.05).describe('How closely to stay to the initial policy.'),
    passes: z.int().min(1).max(16).default(2).describe('Updates on each batch of answers.'),
  }),
  suggested: {
    optimizer: { learningRate: 3e-4, schedule: 'constant', warmup: 5 },
    budget: { steps: 100, batch: 32 },
  },
  optimum: (world, p) => world.fixedPoint({ divergence: 'policy-to-reference', weight: p.beta }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 120, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.prompts, part.sampleGroups(p), part.score(task.reward), part.logpUnder('initial')),
      objective: part.contrastive(p),
      passes: p.passes,
    }),
});
