import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * Desirable and undesirable answers, without pairs: the value of each is a sigmoid of its log-ratio against
 * a shared reference point.
 */
export const kto = defineMethod({
  id: 'kto',
  title: 'Kahneman–Tversky Optimization',
  summary: 'Learns from answers marked desirable or undesirable, one by one; no pairs are needed.',
  cites: 'arXiv:2402.01306',
  task: 'answers',
  produces: 'policy',
  params: z.strictObject({
    beta: shared.beta.default(0.1),
    desirableWeight: range.weight
      .default(1)
      .describe('Weight of desirable answers; raise it where they are the fewer.'),
    undesirableWeight: range.weight.default(1).describe('Weight of undesirable answers.'),
  }),
  suggested: constantRate(1e-4, { steps: 150, batch: 32 }),
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
