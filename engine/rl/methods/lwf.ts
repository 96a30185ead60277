import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { range, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { sum, weighted } from '../kernel/objective.ts';

/**
 * Imitation that keeps what the start would say: its distributions on the new demonstrations are distilled.
 */
export const lwf = defineMethod({
  id: 'lwf',
  title: 'Learning without forgetting',
  summary: 'Imitates demonstrations, and keeps the initial model’s probabilities of every token of them.',
  cites: 'arXiv:1606.09282',
  task: 'demonstrations',
  produces: 'policy',
  params: z.strictObject({
    average: shared.counts.default('token'),
    keepWeight: range.weight
      .default(1)
      .describe('Weight of the divergence of the policy from the initial model.'),
  }),
  suggested: {
    optimizer: { learningRate: 2.5e-3, beta2: 0.99, schedule: 'cosine', warmup: 50 },
    budget: { steps: 2400, batch: 32 },
  },
  sanity: {
    world: 'toy/copy',
    worldParams: { letters: 8, wrong: 0 },
    metric: 'eval/loss',
    atMost: 0.3,
    params: { keepWeight: 0.05 },
    run: { optimizer: { learningRate: 1e-2, schedule: 'cosine' }, budget: { steps: 150, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.demonstrations),
      objective: sum(
        part.likelihood(p),
        weighted(p.keepWeight, part.exactDivergence('initial', { kind: 'forward', average: p.average })),
      ),
    }),
});
