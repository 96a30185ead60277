import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * One policy for a range of preferences: it reads a direction in the plane of reward and length, and imitates
 * the best of its answers along it (section 3).
 */
export const dpa = defineMethod({
  id: 'dpa',
  title: 'Directional Preference Alignment',
  summary:
    'Writes a direction between reward and length into each prompt, and imitates the best answer along it; ' +
    'later the direction is chosen by whoever asks.',
  cites: 'arXiv:2402.18571',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: range.answers
      .default(8)
      .describe('Answers per prompt and direction, of which the best one is imitated.'),
    angle: z
      .number()
      .min(0)
      .max(90)
      .default(45)
      .describe('Directions are drawn up to so many degrees from the reward alone, to either side.'),
    average: shared.counts.default('sequence'),
    epochs: shared.epochs.default(1),
  }),
  suggested: constantRate(5e-4, { steps: 120, batch: 32 }),
  texts: () => ['0123456789+-,;'],
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.75,
    params: { angle: 10, groupSize: 16 },
    run: { optimizer: { learningRate: 6e-3 }, budget: { steps: 100, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleByDirection(p),
        part.score(task.reward),
        part.alongDirection,
        part.dropFlatGroups,
        part.keepBest,
      ),
      objective: part.likelihood(p),
      epochs: p.epochs,
    }),
});
