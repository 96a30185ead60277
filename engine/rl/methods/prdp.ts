import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/** Two answers should differ in log-ratio as in reward; tokens that left the trust region stop the fit. */
export const prdp = defineMethod({
  id: 'prdp',
  title: 'Proximal Reward Difference Prediction',
  summary:
    'Fits the difference of the log-ratios of two answers to that of their rewards, and bounds how far a ' +
    'batch may move each token.',
  cites: 'arXiv:2402.08714',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: z
      .int()
      .min(2)
      .max(256)
      .multipleOf(2)
      .default(4)
      .describe('Answers per prompt: an even number.'),
    beta: shared.beta.default(0.05),
    clip: shared.clip.default(0.2),
    epochs: shared.epochs.default(2),
  }),
  suggested: constantRate(3e-4, { steps: 100, batch: 32 }),
  optimum: (world, p) => world.fixedPoint({ divergence: 'policy-to-reference', weight: p.beta }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 120, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.prompts, part.sampleGroups(p), part.score(task.reward), part.logpUnder('initial')),
      objective: part.rewardDifferences(p),
      epochs: p.epochs,
    }),
});
