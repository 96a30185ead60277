import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * GRPO with four changes: a wider upper clipping bound, no groups with equal rewards, a mean over tokens,
 * and a soft penalty for overlong answers.
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
    groupSize: shared.groupSize.default(8),
    clipLow: z
      .number()
      .positive()
      .max(1)
      .default(0.2)
      .describe('How far the probability ratio may fall below 1.'),
    clipHigh: shared.clipHigh.default(0.28),
    tries: z
      .int()
      .min(1)
      .max(16)
      .default(3)
      .describe('Batches of prompts drawn at most to fill one with groups whose rewards differ.'),
    overlong: range.fraction
      .default(0.2)
      .describe('Last share of the longest answer in which the reward falls by up to 1.'),
    epochs: shared.epochs.default(1),
  }),
  suggested: constantRate(3e-4, { steps: 80, batch: 32 }),
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
        part.centerByGroup({ scaleBy: 'sample' }),
      ),
      objective: part.clippedSurrogate({ clipLow: p.clipLow, clipHigh: p.clipHigh, average: 'token' }),
      epochs: p.epochs,
    }),
});
