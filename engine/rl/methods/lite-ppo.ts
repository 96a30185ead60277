import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { linearRate, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/** Clipped policy gradient without a critic: group mean, batch deviation, every token alike. */
export const litePpo = defineMethod({
  id: 'lite-ppo',
  title: 'Lite PPO',
  summary:
    'Like GRPO, but advantages are divided by the deviation of the whole batch, and every token counts the ' +
    'same.',
  cites: 'arXiv:2508.08221',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: shared.groupSize.default(8),
    clip: shared.clip.default(0.2),
    clipHigh: shared.clipHigh.default(0.2),
    spread: z
      .enum(['rewards', 'advantages'])
      .default('rewards')
      .describe('What the deviation is of: rewards of the batch, or rewards minus group means.'),
    average: shared.average.default('token'),
    epochs: shared.epochs.default(1),
  }),
  suggested: linearRate(4e-4, { steps: 80, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 80, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.prompts, part.sampleGroups(p), part.score(task.reward), part.centerOverBatch(p)),
      objective: part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clipHigh, average: p.average }),
      epochs: p.epochs,
    }),
});
