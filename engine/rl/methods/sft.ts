import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { pipe } from '../kernel/stage.ts';

/** Imitation: the answers of the demonstrations become more likely; the loss excludes the prompts. */
export const sft = defineMethod({
  id: 'sft',
  title: 'Supervised fine-tuning',
  summary: 'Imitates demonstrations.',
  cites: 'arXiv:2203.02155',
  task: 'demonstrations',
  produces: 'policy',
  params: z.strictObject({
    average: z
      .enum(['token', 'sequence'])
      .default('token')
      .describe('Whether every token counts the same, or every demonstration.'),
  }),
  suggested: {
    optimizer: { learningRate: 2.5e-3, beta2: 0.99, schedule: 'cosine', warmup: 50 },
    budget: { steps: 2400, batch: 32 },
  },
  sanity: {
    world: 'toy/copy',
    worldParams: { letters: 8, wrong: 0 },
    metric: 'eval/loss',
    atMost: 0.2,
    run: { optimizer: { learningRate: 1e-2, schedule: 'cosine' }, budget: { steps: 150, batch: 32 } },
  },
  recipe: (p, task) => train({ rows: pipe(task.demonstrations), objective: part.likelihood(p) }),
});
