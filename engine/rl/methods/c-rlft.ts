import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { range, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * Imitation of answers of mixed quality, conditioned on the mark of their class: reward-weighted regression
 * onto a class-conditioned policy.
 */
export const cRlft = defineMethod({
  id: 'c-rlft',
  title: 'Class-conditioned imitation (C-RLFT)',
  summary:
    'Imitates good and poor answers alike, but marks the poor ones, so that the model tells them apart; ' +
    'without the mark it writes good ones.',
  cites: 'arXiv:2309.11235',
  task: 'answers',
  produces: 'policy',
  params: z.strictObject({
    threshold: z.number().default(0.5).describe('Reward from which an answer is of the good class.'),
    poor: range.fraction
      .default(0.1)
      .describe('Weight of a poor answer; a good one weighs 1. It stands for exp((r_poor − r_good) ⁄ β).'),
    average: shared.counts.default('token'),
  }),
  suggested: {
    optimizer: { learningRate: 2e-3, schedule: 'cosine', warmup: 20 },
    budget: { steps: 600, batch: 32 },
  },
  sanity: {
    world: 'toy/copy',
    worldParams: { letters: 6, wrong: 0.7 },
    metric: 'eval/pass_at_1',
    atLeast: 0.7,
    run: { optimizer: { learningRate: 1e-2, schedule: 'cosine' }, budget: { steps: 150, batch: 48 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.answers, part.scoreOrLabel(task.reward), part.markPoor(p)),
      objective: part.likelihood(p),
    }),
});
