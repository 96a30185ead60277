import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { pipe, when } from '../kernel/stage.ts';

/** CISPO with the choices that scaled best: batch deviation, prompts alike, no groups of equal rewards. */
export const scaleRl = defineMethod({
  id: 'scale-rl',
  title: 'ScaleRL recipe',
  summary:
    'Truncated importance weights; advantages over the deviation of the batch; each prompt counts the same; ' +
    'groups of equal rewards are left out.',
  cites: 'arXiv:2510.13786',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: shared.groupSize.default(16),
    clipHigh: range.positive.default(4).describe('How far above 1 the importance weight may rise.'),
    dropFlat: z.boolean().default(true).describe('Leave out groups whose rewards are all equal.'),
    epochs: shared.epochs.default(2),
  }),
  suggested: constantRate(3e-4, { steps: 100, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    params: { groupSize: 8 },
    run: { optimizer: { learningRate: 3e-3 }, budget: { steps: 100, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleGroups(p),
        part.score(task.reward),
        when(p.dropFlat, part.dropFlatGroups),
        part.centerOverBatch({ spread: 'advantages' }),
        part.evenPrompts,
      ),
      objective: part.truncatedWeights({ clipLow: 1, clipHigh: p.clipHigh }),
      epochs: p.epochs,
    }),
});
