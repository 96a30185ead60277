import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { linearRate, range, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { sum, weighted } from '../kernel/objective.ts';

/** Policy gradient over many answers per prompt, kept close to a moving average of itself. */
export const t1 = defineMethod({
  id: 't1',
  title: 'T1: exploration with a moving reference',
  summary: 'Many answers per prompt, an entropy bonus, and a reference that follows the policy slowly.',
  cites: 'arXiv:2501.11651',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: shared.groupSize.default(16),
    clip: shared.clip.default(0.2),
    klWeight: range.weight.default(0.01).describe('Weight of the divergence from the average of the policy.'),
    decay: z
      .number()
      .min(0)
      .max(0.99999)
      .default(0.95)
      .describe('Share of the average that is kept at each update; 0 follows at once.'),
    entropyWeight: z.number().min(0).max(10).default(0.001).describe('Weight of the policy’s entropy bonus.'),
    overlong: range.fraction
      .default(0)
      .describe('Share of the maximum length at its end, where answers are penalized; 0 penalizes none.'),
    scaleBy: shared.scaleBy.default('sample'),
    average: shared.average.default('sequence'),
  }),
  suggested: linearRate(4e-4, { steps: 80, batch: 16 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    params: { groupSize: 8 },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 80, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleGroups(p),
        part.score(task.reward),
        part.overlongPenalty({ share: p.overlong }),
        part.centerByGroup(p),
        part.logpUnder('average'),
      ),
      objective: sum(
        part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clip, average: p.average }),
        weighted(p.klWeight, part.klTo('average', { estimator: 'k3', average: p.average })),
        weighted(p.entropyWeight, part.entropyBonus),
      ),
      averaging: { decay: p.decay },
    }),
});
