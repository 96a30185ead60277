import { z } from 'zod';
import { defineMethod } from '../kernel/method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * Importance weights are truncated and carry no gradient, so that rare tokens that turn an answer round keep
 * theirs.
 */
export const cispo = defineMethod({
  id: 'cispo',
  title: 'Clipped IS-weight Policy Optimization',
  summary: 'Like GRPO, but a token whose probability has moved far is weighed less instead of left out.',
  cites: 'arXiv:2506.13585',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    size: z.int().min(2).max(256).default(8).describe('Attempts per prompt.'),
    low: z
      .number()
      .positive()
      .max(1)
      .default(1)
      .describe('How far below 1 a token’s weight may fall; 1 is no bound, as in the paper.'),
    high: z.number().positive().max(100).default(4).describe('How far above 1 it may rise.'),
    sd: z
      .enum(['sample', 'population', 'none'])
      .default('sample')
      .describe("What a group's advantages are divided by."),
    passes: z.int().min(1).max(16).default(2).describe('Updates on each batch of answers.'),
  }),
  suggested: {
    optimizer: { learningRate: 3e-4, schedule: 'constant', warmup: 5 },
    budget: { steps: 100, batch: 32 },
  },
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 3e-3 }, budget: { steps: 120, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.prompts, part.sampleGroups(p), part.score(task.reward), part.centerByGroup(p)),
      objective: part.truncatedWeights(p),
      passes: p.passes,
    }),
});
