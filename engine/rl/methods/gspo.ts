import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * A trust region over whole answers: a ratio is the geometric mean of its tokens’, so an answer is kept or
 * clipped as a whole.
 */
export const gspo = defineMethod({
  id: 'gspo',
  title: 'Group Sequence Policy Optimization',
  summary: 'Like GRPO, with the importance ratio and its bounds taken on whole answers instead of tokens.',
  cites: 'arXiv:2507.18071',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: shared.groupSize.default(8),
    clipLow: z
      .number()
      .positive()
      .max(1)
      .default(3e-4)
      .describe('How far an answer’s mean ratio may fall below 1.'),
    clipHigh: shared.clipHigh.default(4e-4),
    scaleBy: shared.scaleBy.default('sample'),
    epochs: shared.epochs.default(2),
  }),
  suggested: constantRate(3e-4, { steps: 100, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 80, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.prompts, part.sampleGroups(p), part.score(task.reward), part.centerByGroup(p)),
      objective: part.sequenceSurrogate(p),
      epochs: p.epochs,
    }),
});
