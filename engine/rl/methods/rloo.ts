import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * REINFORCE on whole answers, with the other answers to the same prompt as the baseline; the divergence is
 * part of the reward.
 */
export const rloo = defineMethod({
  id: 'rloo',
  title: 'REINFORCE Leave-One-Out',
  summary:
    'Samples several answers to each prompt and compares each with the mean of the others, ' +
    'without critic, ratio or deviation.',
  cites: 'arXiv:2402.14740',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: shared.groupSize.default(4),
    klWeight: shared.klInReward.default(0.01),
  }),
  suggested: constantRate(3e-4, { steps: 100, batch: 32 }),
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
