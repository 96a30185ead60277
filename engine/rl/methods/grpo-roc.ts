import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/** GRPO on half of an oversampled group: wrong answers as they come, right ones by their quality. */
export const grpoRoc = defineMethod({
  id: 'grpo-roc',
  title: 'GRPO with Resampling on Correct',
  summary:
    'Samples twice the answers and keeps half: wrong ones at random, right ones the rather the fewer tool ' +
    'errors they have.',
  cites: 'arXiv:2508.20722',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: shared.groupSize.default(16).describe('Attempts per prompt, of which half are kept.'),
    clip: shared.clip.default(0.2),
    clipHigh: shared.clipHigh.default(0.28),
    scaleBy: shared.scaleBy.default('sample'),
    average: shared.average.default('token'),
    epochs: shared.epochs.default(1),
  }),
  suggested: constantRate(5e-4, { steps: 80, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 80, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleGroups(p),
        part.score(task.reward),
        part.resampleOnCorrect,
        part.centerByGroup(p),
      ),
      objective: part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clipHigh, average: p.average }),
      epochs: p.epochs,
    }),
});
