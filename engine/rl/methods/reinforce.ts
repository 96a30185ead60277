import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * The plainest policy gradient: one answer per prompt, compared with the other answers of its batch,
 * whatever their prompts.
 */
export const reinforce = defineMethod({
  id: 'reinforce',
  title: 'REINFORCE with a baseline',
  summary:
    'Samples one answer to each prompt; those with more reward than the batch’s average become ' +
    'likelier.',
  cites: 'Williams 1992, doi:10.1007/BF00992696',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    baseline: z
      .enum(['mean', 'others', 'none'])
      .default('others')
      .describe('The baseline of an answer: the mean of the batch, of its other answers (unbiased), or 0.'),
    klWeight: shared.klInReward.default(0.01),
  }),
  suggested: constantRate(3e-4, { steps: 150, batch: 128 }),
  optimum: (world, p) => world.fixedPoint({ divergence: 'policy-to-reference', weight: p.klWeight }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 60, batch: 128 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleGroups({ groupSize: 1 }),
        part.score(task.reward),
        part.logpUnder('initial'),
        part.tokenRewards(p),
        part.againstBatch(p),
      ),
      objective: part.scoreFunction(),
    }),
});
