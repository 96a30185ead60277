import { z } from 'zod';
import { defineMethod } from '../kernel/method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * Answers that are wanted or unwanted, without pairs: each is worth what a sigmoid says of its log-ratio
 * against a shared reference point.
 */
export const kto = defineMethod({
  id: 'kto',
  title: 'Kahneman–Tversky Optimization',
  summary: 'Learns from answers marked wanted or unwanted, one by one; no pairs are needed.',
  cites: 'arXiv:2402.01306',
  task: 'answers',
  produces: 'policy',
  params: z.strictObject({
    beta: z.number().positive().max(100).default(0.1).describe('How closely to stay to the initial policy.'),
    wanted: z
      .number()
      .min(0)
      .max(100)
      .default(1)
      .describe('Weight of wanted answers; raise it where they are the fewer.'),
    unwanted: z.number().min(0).max(100).default(1).describe('Weight of unwanted answers.'),
  }),
  suggested: {
    optimizer: { learningRate: 1e-4, schedule: 'constant', warmup: 5 },
    budget: { steps: 150, batch: 32 },
  },
  sanity: {
    world: 'toy/copy',
    metric: 'evaluation/gold',
    atLeast: 0.4,
    params: { beta: 0.5 },
    run: { optimizer: { learningRate: 1e-2 }, budget: { steps: 120, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.answers,
        part.scoreOrLabel(task.reward),
        part.mismatchedPoint,
        part.logpUnder('initial'),
      ),
      objective: part.prospectValue(p),
    }),
});
