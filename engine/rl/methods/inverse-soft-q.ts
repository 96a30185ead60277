import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { range, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/** Imitation as inverse reinforcement learning: the logits are action values, which imply a reward. */
export const inverseSoftQ = defineMethod({
  id: 'inverse-soft-q',
  title: 'Inverse soft Q-learning from demonstrations',
  summary:
    'Imitates demonstrations, and keeps the reward small that the logits imply as action values: Q minus the ' +
    'value of what follows.',
  cites: 'arXiv:2409.01369',
  task: 'demonstrations',
  produces: 'policy',
  params: z.strictObject({
    rewardWeight: range.weight
      .default(0.01)
      .describe('Weight of the squared implied reward; 0 is imitation.'),
    gamma: range.fraction.default(1).describe('Discount of the value of the next state.'),
    average: shared.counts.default('token'),
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
  recipe: (p, task) => train({ rows: pipe(task.demonstrations), objective: part.inverseSoftQ(p) }),
});
