import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { linearRate, range } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * A reward model whose states tell where an answer leads: that in the middle of a preferred answer is drawn to
 * its end, and away from the end of the rejected one.
 */
export const goalReward = defineMethod({
  id: 'goal-reward',
  title: 'Goal-conditioned reward model',
  summary:
    'Learns a score from preferences, with a contrastive loss that draws the states of a preferred answer to ' +
    'its end and away from that of the rejected one.',
  cites: 'arXiv:2407.13887',
  task: 'preferences',
  produces: 'reward',
  params: z.strictObject({
    weight: range.weight.default(0.5).describe('Weight of the contrastive loss; 0: Bradley–Terry alone.'),
  }),
  suggested: linearRate(1e-3, { steps: 100, batch: 64 }),
  sanity: {
    world: 'toy/pairs',
    metric: 'eval/accuracy',
    atLeast: 0.9,
    run: { optimizer: { learningRate: 3e-3 }, budget: { steps: 60, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.pairs, part.partialAnswers),
      objective: part.goalContrast(p),
    }),
});
