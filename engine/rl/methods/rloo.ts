import { z } from 'zod';
import { defineMethod } from '../kernel/method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * REINFORCE on whole answers, with the other answers to the same prompt as the baseline; the divergence is
 * paid out of the reward.
 */
export const rloo = defineMethod({
  id: 'rloo',
  title: 'REINFORCE Leave-One-Out',
  summary:
    'Writes several answers to each prompt; each is judged against the mean of the others, without ' +
    'critic, ratio or deviation.',
  cites: 'arXiv:2402.14740',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    size: z.int().min(2).max(256).default(4).describe('Attempts per prompt.'),
    klWeight: z
      .number()
      .min(0)
      .max(100)
      .default(0.01)
      .describe('What diverging from the initial policy costs, as a part of the reward.'),
  }),
  suggested: {
    optimizer: { learningRate: 3e-4, schedule: 'constant', warmup: 5 },
    budget: { steps: 100, batch: 32 },
  },
  optimum: (world, p) => world.fixedPoint({ divergence: 'policy-to-reference', weight: p.klWeight }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 80, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleGroups(p),
        part.score(task.reward),
        part.logpUnder('initial'),
        part.tokenRewards(p),
        part.leaveOneOut,
      ),
      objective: part.scoreFunction(),
    }),
});
