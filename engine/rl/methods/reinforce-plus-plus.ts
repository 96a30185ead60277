import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * PPO’s token-level credit without a critic: the return from a token on, minus its mean over the whole
 * batch, divided by its deviation.
 */
export const reinforcePlusPlus = defineMethod({
  id: 'reinforce-plus-plus',
  title: 'REINFORCE++',
  summary:
    'One answer per prompt; the divergence is part of each token’s reward, and advantages are ' +
    'normalised over the whole batch.',
  cites: 'arXiv:2501.03262',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: z.int().min(1).max(256).default(1).describe('Attempts per prompt.'),
    klWeight: shared.klPerToken.default(0.01),
    clip: shared.clip.default(0.2),
    epochs: shared.epochs.default(2),
  }),
  suggested: constantRate(3e-4, { steps: 150, batch: 128 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 80, batch: 128 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleGroups(p),
        part.score(task.reward),
        part.logpUnder('initial'),
        part.tokenRewards(p),
        part.returnsToGo,
        part.whiten({ on: true }),
      ),
      objective: part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clip, average: 'token' }),
      epochs: p.epochs,
    }),
});
