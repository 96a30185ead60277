import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * Policy gradient as a regression: two answers should differ in log-ratio as much as in reward; each is the
 * other’s baseline, whichever policy sampled them.
 */
export const copg = defineMethod({
  id: 'copg',
  title: 'Contrastive Policy Gradient',
  summary:
    'Makes the log-ratios of the answers to a prompt differ as their rewards do, whichever ' +
    'policy sampled them.',
  cites: 'arXiv:2406.19185',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: shared.groupSize.default(8),
    beta: shared.beta.default(0.05),
    epochs: shared.epochs.default(2),
  }),
  suggested: constantRate(3e-4, { steps: 100, batch: 32 }),
  optimum: (world, p) => world.fixedPoint({ divergence: 'policy-to-reference', weight: p.beta }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 120, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.prompts, part.sampleGroups(p), part.score(task.reward), part.logpUnder('initial')),
      objective: part.contrastive(p),
      epochs: p.epochs,
    }),
});
