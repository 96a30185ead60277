import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import { sum, weighted } from '../kernel/objective.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/** PPO with leave-one-out advantages in place of a critic, and no reference; the ratio is of a chosen unit. */
export const loop = defineMethod({
  id: 'loop',
  title: 'Leave-one-out PPO for agents (LOOP)',
  summary:
    'Each attempt against the others on its prompt, over several epochs, with the trust region on tokens, on ' +
    'whole turns or on the whole attempt; no critic and no reference in memory.',
  cites: 'arXiv:2502.01600',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: shared.groupSize.default(8),
    ratio: z
      .enum(['token', 'turn', 'trajectory'])
      .default('token')
      .describe('What the trust region holds for: each token, each turn between replies, or the attempt.'),
    clip: shared.clip.default(0.2),
    clipHigh: shared.clipHigh.default(0.2),
    entropyWeight: range.weight.default(0).describe('Weight of the policy’s entropy bonus.'),
    epochs: shared.epochs.default(2),
  }),
  presets: { 'loop-turn': { ratio: 'turn' }, 'loop-trajectory': { ratio: 'trajectory' } },
  suggested: constantRate(5e-4, { steps: 160, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 120, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleGroups(p),
        part.score(task.reward),
        part.logpUnder('initial'),
        part.tokenRewards({ klWeight: 0 }),
        part.leaveOneOut,
        part.stepEnds({ step: 'turn' }),
      ),
      objective: sum(
        p.ratio === 'token'
          ? part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clipHigh, average: 'token' })
          : part.stepSurrogate({ clipLow: p.clip, clipHigh: p.clipHigh, ratio: p.ratio }),
        weighted(p.entropyWeight, part.entropyBonus),
      ),
      epochs: p.epochs,
    }),
});
