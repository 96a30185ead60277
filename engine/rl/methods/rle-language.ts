import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { linearRate, range, shared } from '../kernel/shared.ts';
import { sum, weighted } from '../kernel/objective.ts';
import { pipe } from '../kernel/stage.ts';

/** GRPO whose policy reads a random direction with each answer, and is also rewarded for going along it. */
export const rleLanguage = defineMethod({
  id: 'rle-language',
  title: 'Random latent exploration in language',
  summary:
    'With each answer the policy reads another random direction, and earns more for an answer that differs ' +
    'from its group along it.',
  cites: 'arXiv:2407.13755',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: shared.groupSize.default(8),
    bonusWeight: range.weight.default(0.1).describe('Weight of the bonus, which is at most 1.'),
    size: z.int().min(1).max(256).default(8).describe('Numbers of a direction.'),
    vectors: z
      .int()
      .min(0)
      .max(64)
      .default(1)
      .describe('First tokens to whose embeddings the direction is added; 0: it is not read.'),
    clip: shared.clip.default(0.2),
    klWeight: shared.klWeight.default(0),
    scaleBy: shared.scaleBy.default('none'),
    average: shared.average.default('sequence'),
    epochs: shared.epochs.default(1),
  }),
  suggested: linearRate(4e-4, { steps: 80, batch: 32 }),
  softPrompt: ({ size, vectors }) => ({ size, vectors }),
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
        part.alongLatent({ weight: p.bonusWeight }),
        part.centerByGroup(p),
        part.logpUnder('initial'),
      ),
      objective: sum(
        part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clip, average: p.average }),
        weighted(p.klWeight, part.klToReference({ estimator: 'k3', average: p.average })),
      ),
      epochs: p.epochs,
    }),
});
