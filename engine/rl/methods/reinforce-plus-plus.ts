import { z } from 'zod';
import { defineMethod } from '../kernel/method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * PPO’s token-level credit without a critic: what is earned from a token on, less its mean over the whole
 * batch, by its deviation.
 */
export const reinforcePlusPlus = defineMethod({
  id: 'reinforce-plus-plus',
  title: 'REINFORCE++',
  summary:
    'One answer a prompt; the divergence is paid token by token, and advantages are normalised over the whole batch.',
  cites: 'arXiv:2501.03262',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    size: z.int().min(1).max(256).default(1).describe('Attempts per prompt.'),
    klWeight: z
      .number()
      .min(0)
      .max(100)
      .default(0.01)
      .describe('What diverging from the initial policy costs at each token, as a part of the reward.'),
    clip: z.number().positive().max(1).default(0.2).describe('Trust region on the probability ratio.'),
    passes: z.int().min(1).max(16).default(2).describe('Updates on each batch of answers.'),
  }),
  suggested: {
    optimizer: { learningRate: 3e-4, schedule: 'constant', warmup: 5 },
    budget: { steps: 150, batch: 128 },
  },
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 80, batch: 128 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleGroups(p),
        part.score(task.reward),
        part.logpUnder('initial'),
        part.tokenRewards(p),
        part.returnsToGo,
        part.whiten({ on: true }),
      ),
      objective: part.clippedSurrogate({ low: p.clip, high: p.clip, average: 'token' }),
      passes: p.passes,
    }),
});
