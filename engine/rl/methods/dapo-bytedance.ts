import { z } from 'zod';
import { defineMethod } from '../kernel/method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * GRPO with four changes: a wider upper bound, groups that hold a comparison only, every token alike, and a
 * price on answers that run out of room.
 */
export const dapoBytedance = defineMethod({
  id: 'dapo-bytedance',
  title: 'Decoupled Clip and Dynamic Sampling (ByteDance’s DAPO)',
  summary:
    'Like GRPO, drawing prompts until a batch of them is neither solved nor hopeless, with more room for ' +
    'rare tokens to grow.',
  cites: 'arXiv:2503.14476',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    size: z.int().min(2).max(256).default(8).describe('Attempts per prompt.'),
    low: z
      .number()
      .positive()
      .max(1)
      .default(0.2)
      .describe('How far the probability ratio may fall below 1.'),
    high: z.number().positive().max(10).default(0.28).describe('How far it may rise above 1.'),
    tries: z
      .int()
      .min(1)
      .max(16)
      .default(3)
      .describe('Batches of prompts drawn at most to fill one with groups whose rewards differ.'),
    overlong: z
      .number()
      .min(0)
      .max(1)
      .default(0.2)
      .describe('Last share of the longest answer in which the reward falls by up to 1.'),
    passes: z.int().min(1).max(16).default(1).describe('Updates on each batch of answers.'),
  }),
  suggested: {
    optimizer: { learningRate: 3e-4, schedule: 'constant', warmup: 5 },
    budget: { steps: 80, batch: 32 },
  },
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 120, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        part.sampleUntilVaried(task.prompts, task.reward, p),
        part.keepVaried,
        part.overlongPenalty({ share: p.overlong }),
        part.centerByGroup({ sd: 'sample' }),
      ),
      objective: part.clippedSurrogate({ low: p.low, high: p.high, average: 'token' }),
      passes: p.passes,
    }),
});
