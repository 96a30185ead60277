import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * Supervised learning that also learns from wrong answers: they are modelled by the remainder of the old
 * policy once the new one is subtracted.
 */
export const nft = defineMethod({
  id: 'nft',
  title: 'Negative-aware Fine-Tuning',
  summary:
    'Makes right answers likelier, and models wrong ones by the remainder of the old policy; one ' +
    'model is both.',
  cites: 'arXiv:2505.18116',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: shared.groupSize.default(8),
    promptWeight: z
      .enum(['grpo', 'dr-grpo', 'even'])
      .default('grpo')
      .describe('How much a prompt counts by its share p of right answers: √((1 − p)/p), 1 − p, or alike.'),
    epsilon: z
      .number()
      .positive()
      .max(1)
      .default(1)
      .describe('Least ratio of the remaining policy to the old one; its gradient is passed on anyway.'),
    epochs: shared.epochs.default(2),
  }),
  suggested: constantRate(3e-4, { steps: 100, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 100, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.prompts, part.sampleGroups(p), part.score(task.reward), part.groupAccuracy),
      objective: part.negativeAware(p),
      epochs: p.epochs,
    }),
});
