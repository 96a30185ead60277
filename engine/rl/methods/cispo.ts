import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/** Truncated importance weights without gradient, so that rare pivotal tokens keep theirs. */
export const cispo = defineMethod({
  id: 'cispo',
  title: 'Clipped IS-weight Policy Optimization',
  summary: 'Like GRPO, but a token whose probability has moved far is weighed less instead of left out.',
  cites: 'arXiv:2506.13585',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: shared.groupSize.default(8),
    clipLow: z
      .number()
      .positive()
      .max(1)
      .default(1)
      .describe('How far below 1 a token’s weight may fall; 1 is no bound, as in the paper.'),
    clipHigh: range.positive.default(4).describe('How far above 1 it may rise.'),
    scaleBy: shared.scaleBy.default('sample'),
    epochs: shared.epochs.default(2),
  }),
  suggested: constantRate(3e-4, { steps: 100, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 3e-3 }, budget: { steps: 120, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.prompts, part.sampleGroups(p), part.score(task.reward), part.centerByGroup(p)),
      objective: part.truncatedWeights(p),
      epochs: p.epochs,
    }),
});
