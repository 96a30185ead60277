import { z } from 'zod';
import { defineMethod } from '../kernel/method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * Values instead of policy improvement: what the policy that picks tokens at random would earn is enough to
 * choose by, and keeps every right way open.
 */
export const rover = defineMethod({
  id: 'rover',
  title: 'Random Policy Valuation (ROVER)',
  summary: 'Learns the value of each next token under a uniform policy, and writes in proportion to it.',
  cites: 'arXiv:2509.24981',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    size: z.int().min(2).max(256).default(8).describe('Attempts per prompt.'),
    rho: z
      .number()
      .positive()
      .max(100)
      .default(1)
      .describe('Temperature of values: the higher, the slower the policy moves.'),
    passes: z.int().min(1).max(16).default(1).describe('Updates on each batch of answers.'),
  }),
  suggested: {
    optimizer: { learningRate: 3e-4, schedule: 'constant', warmup: 5 },
    budget: { steps: 100, batch: 32 },
  },
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 100, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleGroups(p),
        part.score(task.reward),
        part.centerByGroup({ sd: 'none' }),
        part.meanLogpUnder('policy'),
      ),
      objective: part.uniformValuation(p),
      passes: p.passes,
    }),
});
